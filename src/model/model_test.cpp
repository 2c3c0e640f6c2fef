#include "model/model.h"

#include <utility>

#include <gtest/gtest.h>

namespace hyla::model {
namespace {

TEST(Symbols, AreInternedOnce) {
  Symbols symbols;
  const SymbolId height = symbols.intern("height");
  EXPECT_EQ(symbols.intern("height"), height);
  EXPECT_NE(symbols.intern("width"), height);
  for (int i = 0; i < 1000; ++i) symbols.intern("name" + std::to_string(i));
  EXPECT_EQ(symbols[height], "height");
  EXPECT_EQ(symbols.intern("height"), height);
  EXPECT_EQ(symbols[SymbolId()], "");
  EXPECT_EQ(symbols.size(), 1002U);

  Symbols moved = std::move(symbols);
  EXPECT_EQ(moved.intern("height"), height);
}

TEST(Model, NamesTypesInTheWordsOfTheModeller) {
  Model model;
  const EnumId mode = model.enums.add({model.symbols.intern("Mode"), {}, {}});
  const MessageId job = model.messages.add({model.symbols.intern("Job"), {}, {}});
  Class tank;
  tank.name = model.symbols.intern("Tank");
  const ClassId tank_id = model.classes.add(tank);
  tank.kind = ClassKind::Atomic;
  const ClassId atomic_id = model.classes.add(tank);

  EXPECT_EQ(model.type_name({TypeKind::Real, 0}), "Real");
  EXPECT_EQ(model.type_name({TypeKind::Real, 1}), "Real[:]");
  EXPECT_EQ(model.type_name({TypeKind::Integer, 2}), "Integer[:, :]");
  EXPECT_EQ(model.type_name({TypeKind::Enum, 0, mode.index}), "Mode");
  EXPECT_EQ(model.type_name({TypeKind::Message, 0, job.index}), "message Job");
  EXPECT_EQ(model.type_name({TypeKind::Object, 0, tank_id.index}), "model Tank");
  EXPECT_EQ(model.type_name({TypeKind::Object, 1, atomic_id.index}), "atomic Tank[:]");
  EXPECT_EQ(model.type_name({TypeKind::Population, 0, tank_id.index}), "population of Tank");
  EXPECT_EQ(model.type_name({TypeKind::Record, 0}), "?");
  EXPECT_EQ(model.type_name({}), "?");
}

TEST(Model, NamesTheResultsOfAFunction) {
  Model model;
  Function function;
  function.results.resize(2);
  function.results[0].type = {TypeKind::Real, 1};
  function.results[1].type = {TypeKind::Boolean, 0};
  const FunctionId id = model.functions.add(function);
  EXPECT_EQ(model.type_name({TypeKind::Tuple, 0, id.index}), "(Real[:], Boolean)");
}

TEST(Model, InternsUnitsAsTheyAreWritten) {
  Model model;
  UnitError error;
  const UnitId newton_metre = model.intern_unit(*parse_unit("N.m", error));
  EXPECT_EQ(model.intern_unit(*parse_unit("N.m", error)), newton_metre);
  const UnitId joule = model.intern_unit(*parse_unit("J", error));
  EXPECT_NE(joule, newton_metre);
  EXPECT_TRUE(model.units[joule].same_unit(model.units[newton_metre]));
  EXPECT_NE(model.intern_unit(*parse_unit("kJ", error)), newton_metre);
  EXPECT_EQ(model.unit_name(newton_metre), "N.m");
  EXPECT_EQ(model.unit_name(model.intern_unit(Unit{})), "1");
  EXPECT_EQ(model.unit_name(UnitId()), "?");
}

TEST(Model, KeepsTheBareUnitApart) {
  Model model;
  EXPECT_NE(model.intern_unit(Unit{}), kBareUnit);
  EXPECT_EQ(model.unit_name(kBareUnit), "1");
}

TEST(Model, CalculatesWithInternedUnits) {
  Model model;
  UnitError error;
  const UnitId metre = model.intern_unit(*parse_unit("m", error));
  const UnitId second = model.intern_unit(*parse_unit("s", error));
  const UnitId speed = model.divide_units(metre, second);
  EXPECT_EQ(model.unit_name(speed), "m/s");
  EXPECT_EQ(model.divide_units(metre, second), speed);
  EXPECT_EQ(model.multiply_units(speed, second), metre);
  EXPECT_EQ(model.multiply_units(kBareUnit, speed), speed);
  EXPECT_EQ(model.multiply_units(kBareUnit, kBareUnit), kBareUnit);
  EXPECT_EQ(model.divide_units(speed, kBareUnit), speed);
  EXPECT_EQ(model.unit_name(model.divide_units(kBareUnit, second)), "1/s");
  EXPECT_EQ(model.multiply_units(UnitId(), second), UnitId());
}

TEST(Model, InternsShapes) {
  Model model;
  const Shape three{{Dimension{3, {}}}};
  const Shape open{{Dimension{}}};
  const ShapeId id = model.intern_shape(three);
  EXPECT_EQ(model.intern_shape(three), id);
  EXPECT_NE(model.intern_shape(open), id);
  EXPECT_NE(model.intern_shape({{Dimension{3, {}}, Dimension{3, {}}}}), id);
}

TEST(Model, KnowsWhatAClassExtends) {
  Model model;
  const ClassId base = model.classes.add({});
  Class derived;
  derived.base = base;
  const ClassId derived_id = model.classes.add(derived);
  EXPECT_TRUE(model.extends(derived_id, base));
  EXPECT_TRUE(model.extends(base, base));
  EXPECT_FALSE(model.extends(base, derived_id));
  model.classes[base].base = derived_id;  // a circle, as a faulty text may have it
  EXPECT_FALSE(model.extends(base, ClassId()));
}

TEST(Model, CountsItsMemory) {
  Model model;
  const std::size_t empty = model.memory();
  for (int i = 0; i < 1000; ++i) model.exprs.add({});
  EXPECT_GE(model.memory(), empty + 1000 * sizeof(Expr));
}

TEST(Names, OfOperationsAndActions) {
  EXPECT_EQ(name_of(Op::MatrixProduct), "MatrixProduct");
  EXPECT_EQ(name_of(ActionKind::WaitUntil), "WaitUntil");
}

}  // namespace
}  // namespace hyla::model

#include <unordered_set>

#include "base/text.h"
#include "model/dump_text.h"

namespace hyla::model {
namespace {

constexpr std::string_view kPrelude = "prelude";

std::string fields_text(const Model& model, const std::vector<Field>& fields) {
  std::string text;
  for (const Field& field : fields) text += (text.empty() ? " { " : ", ") + field_text(model, field);
  return text.empty() ? text : text + " }";
}

/// Writes what stands outside bodies.
class ModelDumper {
 public:
  explicit ModelDumper(DumpWriter& out) : out_(out), model_(out.model) {}

  void dump() {
    for (const Enum& one : model_.enums) enumeration(one);
    for (const Record& one : model_.records) out_.line("record " + name(one.name) + fields_text(model_, one.fields));
    for (const Message& one : model_.messages) out_.line("message " + name(one.name) + fields_text(model_, one.fields));
    for (const Connector& one : model_.connectors)
      out_.line("connector " + name(one.name) + fields_text(model_, one.fields));
    for (const Protocol& one : model_.protocols) protocol(one);
    module_constants();
    for (const ExternalObject& one : model_.external_objects) external_object(one);
    for (std::size_t i = 0; i < model_.functions.size(); ++i) {
      if (!methods_.contains(i)) function(model_.functions[FunctionId(i)]);
    }
    for (const Package& one : model_.packages) package(one);
    dump_classes();
    for (const Experiment& one : model_.experiments) experiment(one);
  }

 private:
  std::string name(SymbolId symbol) const { return std::string(model_.name(symbol)); }
  std::string expression(ExprId expr) const { return expression_text(model_, expr, {}); }
  std::string class_name(ClassId id) const { return entity_name(model_, {EntityKind::Class, id.index}, {}); }
  bool in_prelude(ClassId id) const { return id && model_.name(model_.classes[id].module) == kPrelude; }

  void enumeration(const Enum& one) {
    std::string text;
    for (const SymbolId value : one.values) text += (text.empty() ? "" : ", ") + name(value);
    out_.line("enum " + name(one.name) + " { " + text + " }");
  }

  void protocol(const Protocol& one) {
    std::string text = "protocol " + name(one.name);
    if (!one.receives.empty()) text += " receives " + message_list(model_, one.receives);
    if (!one.sends.empty()) text += " sends " + message_list(model_, one.sends);
    out_.line(text);
  }

  void module_constants() {
    for (const Variable& variable : model_.variables) {
      if (variable.body || variable.kind != VariableKind::Constant) continue;
      std::string text = "constant " + name(variable.name) + ": " +
                         type_text(model_, variable.type, variable.unit, variable.shape, {});
      if (variable.binding) text += " = " + expression(variable.binding);
      out_.line(text);
    }
  }

  void external_object(const ExternalObject& one) {
    out_.line("external object " + name(one.name) + parameters_text(model_, one.parameters, one.defaults) + " = " +
              quoted(one.library_prefix));
    const DumpWriter::Indent indent(out_);
    for (const FunctionId id : one.functions) {
      methods_.insert(id.index);
      function(model_.functions[id]);
    }
  }

  void function(const Function& one) {
    std::string results;
    for (const Field& result : one.results) results += (results.empty() ? "" : ", ") + field_text(model_, result);
    std::string text = (one.block ? "function " : "external function ") + name(one.name) +
                       parameters_text(model_, one.parameters, one.defaults);
    if (!results.empty()) text += " -> " + (one.results.size() == 1 ? results : "(" + results + ")");
    if (!one.library_symbol.empty()) text += " = " + quoted(one.library_symbol);
    if (!one.derivative_symbol.empty()) text += " derivative " + quoted(one.derivative_symbol);
    out_.scope = {};
    dump_block(out_, text, one.block);
  }

  void package(const Package& one) {
    if (in_prelude(one.parameters) || (!one.models.empty() && in_prelude(one.models.front()))) return;
    std::string models;
    for (const ClassId id : one.models) models += (models.empty() ? " { " : ", ") + class_name(id);
    out_.line("environment package " + name(one.name) + (models.empty() ? "" : models + " }"));
  }

  /// Classes in the order of their declaration; a line names the module wherever it changes, if there are several.
  void dump_classes() {
    std::unordered_set<std::uint32_t> modules;
    for (std::size_t i = 0; i < model_.classes.size(); ++i) {
      if (!in_prelude(ClassId(i))) modules.insert(model_.classes[ClassId(i)].module.index);
    }
    SymbolId module;
    for (std::size_t i = 0; i < model_.classes.size(); ++i) {
      const Class& one = model_.classes[ClassId(i)];
      if (in_prelude(ClassId(i))) continue;
      if (modules.size() > 1 && one.module != module) out_.line("module " + name(one.module));
      module = one.module;
      dump_class(one);
    }
  }

  void dump_class(const Class& one) {
    for (const std::string_view line : base::split_lines(one.documentation)) out_.line("/// " + std::string(line));
    std::string text = one.is_abstract ? "abstract " : "";
    text += one.kind == ClassKind::Atomic ? "atomic " : "model ";
    if (one.outer) text += class_name(one.outer) + ".";
    text += name(one.name);
    if (one.package) text += " in " + entity_name(model_, {EntityKind::Package, one.package.index}, {});
    if (one.base)
      text += " extends " + class_name(one.base) + arguments_text(model_, one.base_arguments, {one.body, {}});
    out_.line(text);
    if (one.body) dump_body(out_, one.body);
    const DumpWriter::Indent indent(out_);
    out_.scope = {one.body, {}};
    for (const DevsFunction& function : one.devs_functions) {
      const std::string parameters =
          function.parameters.empty() ? "" : parameters_text(model_, function.parameters, {});
      dump_block(out_, "devs " + std::string(devs_function_name(function.kind)) + parameters, function.block);
    }
    for (const Section& section : one.sections) dump_section(section);
    out_.scope = {};
  }

  void dump_section(const Section& section) {
    out_.line("section " + entity_name(model_, {EntityKind::Package, section.package.index}, {}));
    const DumpWriter::Indent indent(out_);
    for (const Setting& setting : section.settings) {
      out_.line("setting " + name(setting.name) + " = " + expression_text(model_, setting.value, out_.scope));
    }
    for (const SectionObject& object : section.objects) {
      std::string text =
          "object " + class_name(object.object_class) + arguments_text(model_, object.arguments, out_.scope);
      std::string references;
      for (const ExprId reference : object.references) {
        references += (references.empty() ? " of " : ", ") + expression_text(model_, reference, out_.scope);
      }
      out_.line(text + references);
    }
  }

  void experiment(const Experiment& one) {
    out_.line("experiment " + name(one.name) + " of " + class_name(one.of));
    const DumpWriter::Indent indent(out_);
    for (const Setting& setting : one.settings)
      out_.line("setting " + name(setting.name) + " = " + expression(setting.value));
    for (const Argument& argument : one.parameters) {
      out_.line("set " + expression(argument.target) + (argument.initial ? " := " : " = ") +
                expression(argument.value));
    }
    for (const Variation& variation : one.variations) {
      out_.line("vary " + expression(variation.target) + (variation.range ? " in " + expression(variation.range) : ""));
    }
    if (one.replications) {
      out_.line("replicate " + expression(one.replications) + (one.enough ? " until " + expression(one.enough) : ""));
    }
    for (const Observation& observation : one.observations) {
      out_.line("observe " + name(observation.name) + " = " + expression(observation.value));
    }
    if (one.objective) out_.line((one.maximize ? "maximize " : "minimize ") + expression(one.objective));
    for (const RequirementId id : one.requirements) out_.line(requirement_text(model_, model_.requirements[id], {}));
  }

  DumpWriter& out_;
  const Model& model_;
  std::unordered_set<std::size_t> methods_;  ///< functions written with their external object
};

}  // namespace

std::string dump(const Model& model) {
  DumpWriter out(model);
  ModelDumper(out).dump();
  return out.take();
}

}  // namespace hyla::model

// Builds the objects of a world: the part of build() that walks the tree of objects.
//
// For every class there is a recipe, made once: parameters in the order in which they depend on each other, initial
// values, and the image of an object's slots with all values that are the same for each object. An object is made by
// copying the image and running the few programs that are left. Values from outside come as overrides: paths of slots,
// in the order of their rank, so that the last one wins.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/archive.h"
#include "code/machine.h"
#include "diag/diagnostic.h"
#include "engine/build.h"
#include "engine/class_recipe.h"
#include "engine/connect.h"
#include "engine/expansion.h"
#include "engine/make_plan.h"
#include "engine/programs.h"
#include "engine/world.h"

namespace hyla::engine {

/// The world as programs see it while it is built: there are values, and nothing else happens.
class BuildHost : public code::Host {
 public:
  explicit BuildHost(World& world) : world_(&world) {}
  /// For functions, which have no objects around them.
  BuildHost() = default;
  /// Set once the machine exists; it is told why a call fails.
  code::Machine* machine = nullptr;

  Slot* slots(ObjectRef object) override {
    const bool is_there = world_ && object && world_->object(object).self.generation == object.generation;
    return is_there ? world_->object(object).slots : nullptr;
  }
  std::string path(ObjectRef object) override { return world_ ? world_->path(object) : "none"; }
  void changed(ObjectRef, std::uint32_t) override {}
  void assigned_again(ObjectRef, std::uint32_t) override {}
  void observed(ObjectRef, std::uint32_t) override {}
  bool draw(ObjectRef, std::uint32_t, model::Builtin, std::span<const Slot>, Slot&) override;
  bool send(ObjectRef, const Sending&, std::int64_t&) override;
  void cancel(std::int64_t) override {}
  void raise(ObjectRef, std::uint32_t) override {}
  std::int64_t mailbox_size(std::uint32_t mailbox) override;
  Box* mailbox_at(std::uint32_t mailbox, std::int64_t place) override;
  Box* mailbox_take(std::uint32_t, std::int64_t) override { return nullptr; }
  bool mailbox_put(std::uint32_t, Box*) override;
  bool create(ObjectRef, const Creation&, ObjectRef&) override { return refuse(); }
  bool destroy(ObjectRef, ObjectRef, bool, diag::Span) override { return refuse(); }
  bool connect(ObjectRef, const Joining&, std::int64_t&) override { return refuse(); }
  bool disconnect(ObjectRef, std::int64_t, diag::Span) override { return refuse(); }
  bool disconnect(ObjectRef, const Joining&) override { return refuse(); }
  std::int64_t population_size(std::uint32_t population) override;
  ObjectRef population_at(std::uint32_t population, std::int64_t place) override;
  bool start(ObjectRef, std::uint32_t, std::span<const Slot>, std::int64_t&) override;
  void stop(std::int64_t) override {}
  void stop_all(ObjectRef, std::uint32_t) override {}
  bool observe(std::uint32_t, double) override;
  Slot figure(std::uint32_t, model::Builtin) override { return {}; }
  void print(ObjectRef, std::string_view) override {}
  void terminate(ObjectRef, std::string_view) override {}

 private:
  bool refuse();

  World* world_ = nullptr;
};

/// Which elements of one dimension of an array are meant.
struct IndexRange {
  std::int64_t first = 1, last = INT64_MAX, step = 1;
  bool contains(std::int64_t index) const { return index >= first && index <= last && (index - first) % step == 0; }
};

/// One step of a path into parts: the slot of a part (the same in derived classes), and which elements of it.
struct PathStep {
  std::uint32_t slot = 0;
  std::vector<IndexRange> indices;
};

/// A value for a variable of an object that is not there yet.
struct Override {
  std::vector<PathStep> path;
  std::uint32_t slot = 0;               ///< of the variable
  std::vector<IndexRange> elements;     ///< of an array, if not the whole is meant
  Slot value;                           ///< owns its box
  bool boxed = false;                   ///< the value is a box
  const code::Program* link = nullptr;  ///< instead of a value: what an input follows
  ObjectRef scope;                      ///< of the link
  Inputs inputs;                        ///< of the link
  model::ExprId expr;                   ///< of the link: its text
  std::vector<model::LocalId> locals;   ///< of the link: the indices whose values the inputs are
  diag::Span span;
  std::string text;   ///< of a setting from outside: how it was written
  bool used = false;  ///< something in the world took it
};

/// Whether an element of an array, by its place from 0, is meant.
bool matches(const std::vector<IndexRange>& ranges, std::span<const std::int64_t> dimensions, std::int64_t place);

/// An override that concerns the object being built, and how far its path has been followed.
struct Given {
  Override* override;
  std::size_t step = 0;
  bool is_here() const { return step == override->path.size(); }
};

/// How many elements an array has; its sizes come from evaluate_shape, so there is no overflow.
inline std::int64_t product(std::span<const std::int64_t> dimensions) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : dimensions) count *= dimension;
  return count;
}

/// An object to be made while the model runs.
struct NewObject {
  std::uint32_t occupant = 0;    ///< into Model::occupants
  std::span<const Slot> values;  ///< see code::Host::Creation
  ObjectRef scope;               ///< whose text it is
  ObjectRef parent;
  model::PartId part;       ///< none: made for no population
  std::int32_t place = -1;  ///< in an array of dynamic parts; in a population the number of the creation
};

/// What was made for one new object.
struct Made {
  std::vector<ObjectRef> objects;  ///< containers before their parts
  std::vector<std::uint32_t> links, ports, mailboxes;
  void clear() {
    objects.clear();
    links.clear();
    ports.clear();
    mailboxes.clear();
  }
};

class Builder {
 public:
  explicit Builder(World& world);
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// Everything. False: the sink or the failure tells why.
  bool build(const BuildRequest& request, diag::Sink& sink, BuildFailure& failure);
  Programs& programs() { return programs_; }

  /// Makes an object with its parts, while the model runs. What was made is in made(), also if it fails: then the sink
  /// tells why.
  bool create(const NewObject& request, double time, diag::Sink& sink, ObjectRef& result);
  const Made& made() const { return made_; }
  /// Gives back what an object holds, when nothing refers to it any more; its number may be used again.
  void recycle(ObjectRef object);
  /// Makes the connections of ports of an object, or those of one state, or those that lead through a dynamic part.
  bool connect_ports(ObjectRef self, const PlanConnection& connection, diag::Sink& sink);
  void disconnect_ports(ObjectRef self, const PlanConnection& connection, diag::Sink& sink);
  /// Gives a dynamic part that is declared in a state, or in an object there, its first occupant.
  bool fill_place(ObjectRef self, model::PartId part, double time, diag::Sink& sink);
  /// The target of a link in a dynamic part; none if the part is empty.
  ObjectRef find_place(const Link& link);
  /// The elements of its target that it feeds, if it does not feed the whole.
  bool find_elements(Link& link, code::Failure& failure);
  /// A link by an action; kNone: the sink tells why.
  std::uint32_t add_link(const Link& link);
  void release_link(std::uint32_t number);
  /// The program of a value that is connected by an action.
  const code::Program* linked_value(model::ExprId from, model::ExprId to, model::ClassId scope);
  std::uint32_t add_population(ObjectRef owner, model::PartId part);
  /// Gives an object that is declared in a state the values with which it was built.
  void renew(ObjectRef object);

  // keep_structure.cpp: the world of a run that is taken up again.
  /// Plans, what is free and what is joined; plans that are missing are made.
  void keep(base::Archive& archive, diag::Sink& sink);
  /// Memory for an object with this number and plan; what it holds is the same as before or nothing.
  Object& restore_object(std::uint32_t number, model::ClassId object_class, const Plan& plan);
  /// By number: whether it waits for another object.
  std::vector<std::uint8_t> free_objects() const;
  const code::Program* order_of(model::MailboxId mailbox, model::ClassId owner);
  /// Finds what a link computes, and its target if that is in a dynamic part. False: there is no such text.
  bool restore_programs(Link& link);
  /// Makes the selections of these objects instead of those that are there.
  bool restore_selections(const std::vector<ObjectRef>& containers, diag::Sink& sink);

 private:
  static constexpr std::size_t kDeepest = 1000;   ///< objects in objects
  static constexpr std::size_t kMostLargest = 4;  ///< all arrays without values together, in largest arrays

  // build_objects.cpp
  bool make_object(model::ClassId object_class, ObjectRef parent, model::PartId part, std::int32_t place,
                   const std::vector<Given>& given, ObjectRef& result);
  bool fill_object(ObjectRef self, const std::vector<Given>& given);
  bool choose_plan(ObjectRef self, ClassRecipe& recipe, const std::vector<Given>& given, const Expansion*& expansion,
                   Expansion& own);
  const Plan* make_plan(model::ClassId object_class, ClassRecipe& recipe, const Expansion& expansion);
  void attach_plan(ObjectRef self, const Plan& plan);
  void give_back_rows(Object& object);
  ExpansionSource expansion_source(ObjectRef self, const std::vector<Given>& given);
  bool range_values(ObjectRef self, model::ExprId range, const ExpandedBody& around, Inputs& values);
  bool evaluate_shape(ObjectRef self, model::ShapeId shape, const ExpandedBody& body,
                      std::vector<std::int64_t>& dimensions);
  model::ClassId class_of(ObjectRef self) const { return world_.object(self).object_class; }

  // build_members.cpp
  bool make_all_members(ObjectRef self, const Expansion& expansion, const std::vector<Given>& given);
  bool make_members(ObjectRef self, const ExpandedBody& body, const std::vector<Given>& given);
  bool make_state_members(ObjectRef self, const ExpandedBody& body, const std::vector<Given>& given, Index state);
  bool make_ports(ObjectRef self, const model::Body& body);
  bool make_mailboxes(ObjectRef self, const model::Body& body);
  void make_statistics(ObjectRef self, const model::Body& body);
  bool make_exports(ObjectRef self, const ExpandedBody& body);
  bool make_selections();
  bool make_selection(ObjectRef self);
  void make_population(ObjectRef self, model::PartId part);
  bool make_part(ObjectRef self, model::PartId part, const ExpandedBody& body, const std::vector<Given>& given);
  bool make_external(ObjectRef self, model::PartId part, const ExpandedBody& body,
                     std::span<const std::int64_t> dimensions);
  bool make_elements(ObjectRef self, model::PartId part, const ExpandedBody& body, const std::vector<Given>& given,
                     std::span<const std::int64_t> dimensions);

  // build_new.cpp
  /// How the arguments of an occupant become overrides.
  struct Site {
    bool ready = false;
    std::deque<Override> overrides;
    std::vector<Given> given;
  };
  ObjectRef take_number(ClassRecipe& recipe, model::ClassId object_class);
  bool prepare_site(const NewObject& request, Site& site);
  void prepare_classes();
  void prepare(model::ClassId object_class);
  void prepare_parts(model::BodyId body);
  bool make_new(const NewObject& request, ObjectRef& result);
  bool finish_new();
  void settle_new();
  void release_members(const Object& object);
  void release_port(std::uint32_t port);
  void release_mailbox(ObjectRef owner, std::uint32_t mailbox);
  std::uint32_t take_link();
  void settle_absent();
  void keep_start_values(ObjectRef object);

  // build_values.cpp
  ClassRecipe& recipe_of(model::ClassId object_class);
  BodyRecipe& body_recipe(model::BodyId body);
  VariableRecipe variable_recipe(model::VariableId id);
  void sort_fixed(std::vector<VariableRecipe>& fixed) const;
  void fill_image(model::BodyId body, ClassRecipe& recipe);
  bool set_fixed(ObjectRef self, model::BodyId body, const std::vector<Given>& given);
  bool set_others(ObjectRef self, const ExpandedBody& body, const std::vector<Given>& given);
  /// References begin with parts, which are made after the values.
  bool set_references(ObjectRef self, const ExpandedBody& body, const std::vector<Given>& given);
  bool set_variable(ObjectRef self, VariableRecipe& recipe, const std::vector<Given>& given);
  void note_written(ObjectRef self, const VariableRecipe& recipe, std::uint32_t element);
  bool set_default(ObjectRef self, VariableRecipe& recipe, bool needed);
  bool default_of_type(ObjectRef self, model::Type type, model::ShapeId shape, diag::Span span, Slot& result);
  bool default_record(ObjectRef self, model::RecordId id, diag::Span span, Slot& result);
  bool check_dimensions(ObjectRef self, const VariableRecipe& recipe);

  // build_arguments.cpp
  bool evaluate_arguments(ObjectRef self, const std::vector<model::Argument>& arguments, const TextUnit& unit,
                          const Inputs& inputs, std::deque<Override>& result);
  bool evaluate_argument(ObjectRef self, const model::Argument& argument, TextUnit unit, const Inputs& inputs,
                         Override& result);
  bool check_range(const VariableRecipe& recipe, const Override& override);
  bool read_target(model::ExprId target, Override& result);
  bool read_indices(const model::Expr& index, std::vector<IndexRange>& result);
  bool base_arguments(ObjectRef self, std::deque<Override>& result);
  bool apply(ObjectRef self, const VariableRecipe& recipe, const Override& override);
  void release(std::deque<Override>& overrides);

  // connect_values.cpp, connect_ports.cpp, connect_mailboxes.cpp
  /// Whether a connection is made with its object. Those of ports in states come and go with them.
  bool is_made_at_once(const PlanConnection& connection) const {
    const model::ConnectionKind kind = model_.connections[connection.id].kind;
    return connection.state == kNone || kind == model::ConnectionKind::Value || kind == model::ConnectionKind::Plugs;
  }
  /// Runs a program that may lead through an empty dynamic part: then `open` is set.
  bool run_end(const code::Program& program, ObjectRef self, const PlanConnection& connection, Slot& result,
               bool& open);
  void link(const Override& override, ObjectRef target, bool boxed);
  bool connect_all();
  bool connect(ObjectRef self, const PlanConnection& connection);
  bool connect_value(ObjectRef self, const PlanConnection& connection);
  void join(const PlanConnection& connection, std::uint32_t from, std::uint32_t to);

  /// Guesses that variables declare.
  bool evaluate_guesses();

  // build.cpp
  bool build_world(const BuildRequest& request);
  bool run(const code::Program& program, ObjectRef self, std::span<const Slot> inputs, Slot& result);
  /// Whether so many more of something may be made; a failure if not.
  bool has_room(ObjectRef self, diag::Span span, std::int64_t more, std::size_t present, std::string_view what);
  bool fail(ObjectRef self, diag::Span span, const std::string& message, const std::string& hint = "");
  std::byte* allocate(std::size_t bytes);
  void give_back(void* block, std::size_t bytes);
  template <class T>
  T* allocate_array(std::size_t count) {
    return count == 0 ? nullptr : reinterpret_cast<T*>(allocate(count * sizeof(T)));
  }

  World& world_;
  const model::Model& model_;
  diag::Sink* sink_ = nullptr;  ///< of the present call
  std::string complaint_;       ///< about the request
  BuildHost host_;
  code::Machine machine_;
  Programs& programs_;
  Priorities priorities_;
  std::vector<ClassRecipe>& recipes_;
  std::map<model::BodyId, BodyRecipe>& bodies_;
  std::vector<std::vector<std::uint32_t>> free_numbers_;  ///< by class: of objects that have gone, the last one last
  std::deque<Override> settings_;
  std::vector<std::uint32_t> mailbox_roots_;  ///< joined mailboxes: towards the first of each set
  std::size_t depth_ = 0;
  Made made_;                ///< by the present call
  std::vector<Site> sites_;  ///< by occupant
  bool running_ = false;     ///< the world is built; objects are made while the model runs
  bool parting_ = false;     ///< connections are taken back instead of made
  bool absent_ = false;      ///< what is being made is declared in a state
  std::vector<ObjectRef> absent_objects_;
  std::unordered_map<std::size_t, std::vector<std::byte*>> free_blocks_;  ///< by size
  std::size_t looked_at_ = 0;                                             ///< programs whose creations were looked at
  std::vector<std::uint32_t> free_ports_, free_mailboxes_, free_statistics_, free_populations_, free_links_;
  BuildLimits limits_;
  std::size_t elements_ = 0;  ///< of arrays that were made without a value
  std::byte* arena_ = nullptr;
  std::size_t arena_left_ = 0;
};

}  // namespace hyla::engine

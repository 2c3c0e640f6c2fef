#include <algorithm>
#include <set>

#include "picture/dot.h"
#include "picture/picture.h"
#include "picture/structure_plan.h"
#include "picture/wording.h"

namespace hyla::picture {
namespace {

constexpr std::string_view kValueColour = "#0072B2";
constexpr std::string_view kMessageColour = "#D55E00";
constexpr std::string_view kPlugColour = "#007A5A";
constexpr std::string_view kMailboxColour = "#AA4488";
constexpr std::string_view kQuiet = "#5F6B76";
constexpr std::string_view kFrame = "#46535F";
constexpr std::string_view kNoTable = "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\">";
constexpr std::size_t kCaptionWidth = 40;

std::string_view colour_of(MemberKind kind) {
  switch (kind) {
    case MemberKind::Port:
      return kMessageColour;
    case MemberKind::Plug:
      return kPlugColour;
    case MemberKind::Mailbox:
      return kMailboxColour;
    case MemberKind::Input:
    case MemberKind::Output:
    case MemberKind::Variable:
      return kValueColour;
  }
  return kQuiet;
}

/// The lower edge of one more object behind the first: several of them are drawn as a stack.
std::string card_cell(std::string_view sides) {
  return "<TD HEIGHT=\"4\" BORDER=\"1\" SIDES=\"" + std::string(sides) + "\" COLOR=\"" + std::string(kFrame) +
         "\" BGCOLOR=\"white\"></TD>";
}
std::string card(bool has_left, bool has_right) {
  return "<TR>" + std::string(has_left ? "<TD></TD>" : "") + card_cell("LB") + card_cell("B") + card_cell("RB") +
         (has_right ? "<TD></TD>" : "") + "</TR>";
}

/// A small square: filled if something leaves there. Plugs, where nothing has a direction, are round.
std::string square(const Member& member) {
  const bool is_plug = member.kind == MemberKind::Plug;
  const bool filled = member.sends || is_plug;
  const std::string colour(colour_of(member.kind));
  return "<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLPADDING=\"0\" CELLSPACING=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"10\" "
         "HEIGHT=\"10\" COLOR=\"" +
         colour + "\" BGCOLOR=\"" + (filled ? colour : "white") + "\"" + (is_plug ? " STYLE=\"ROUNDED\"" : "") +
         "><TR><TD></TD></TR></TABLE>";
}

/// About how wide a name in small letters is, in points.
std::size_t width_of(std::string_view name) {
  double width = 0;
  for (const char c : name) {
    if (std::string_view("ijlI.,:;|'").find(c) != std::string_view::npos)
      width += 2.1;
    else if (std::string_view("frt()[]- ").find(c) != std::string_view::npos)
      width += 2.8;
    else if (c == 'm' || c == 'M' || c == 'w' || c == 'W')
      width += 7.4;
    else
      width += c >= 'A' && c <= 'Z' ? 6.2 : 5;
  }
  return static_cast<std::size_t>(width);
}

std::string port_id(std::size_t member) { return "m" + std::to_string(member); }

struct WireLook {
  std::string_view colour, style, words;  ///< the words go into the legend
};

WireLook look_of(WireKind kind) {
  switch (kind) {
    case WireKind::Value:
      return {kValueColour, "", "━▶ value"};
    case WireKind::Formula:
      return {"#6FA8CF", "penwidth=0.7, arrowsize=0.5", "─▸ read by a formula"};
    case WireKind::Messages:
      return {kMessageColour, "style=dashed, arrowhead=vee, arrowtail=vee", "╌╌➢ messages"};
    case WireKind::Plugs:
      return {kPlugColour, "penwidth=2", "━━ plugs"};
    case WireKind::Mailboxes:
      return {kMailboxColour, "penwidth=1.5, style=dotted", "┈┈ joined mailboxes"};
  }
  return {kQuiet, "", ""};
}

class Drawing {
 public:
  explicit Drawing(const StructurePlan& plan) : plan_(plan) {}

  std::string draw() {
    dot_.open("digraph structure");
    dot_.line("graph [rankdir=LR, fontname=" + quoted(kFont) + ", fontsize=11, nodesep=0.3, ranksep=0.7, pad=0.15]");
    dot_.line("node [fontname=" + quoted(kFont) + ", fontsize=11, shape=plain]");
    // Heads come first: Graphviz 2.43 takes other attributes of some wires within a rank for them otherwise.
    dot_.line("edge [arrowhead=normal, arrowtail=normal, arrowsize=0.7, fontname=" + quoted(kFont) + ", fontsize=9]");
    box(0);
    legend();
    dot_.close();
    return dot_.take();
  }

 private:
  void box(std::size_t index) {
    const Box& one = plan_.boxes[index];
    if (one.content.is_empty())
      leaf(index);
    else
      frame(index);
  }

  // --- objects without visible parts

  static std::string title(const Box& box) {
    std::string text;
    if (!box.stereotype.empty()) text += small("«" + escaped(box.stereotype) + "»", kQuiet) + "<BR/>";
    text += "<B>" + escaped(box.name) + "</B>";
    if (!box.class_name.empty()) text += "<BR/>" + small(escaped(box.class_name), kQuiet);
    for (const std::string& one : box.behaviour) text += "<BR/>" + small("<I>" + escaped(one) + "</I>", kQuiet);
    return text;
  }

  void leaf(std::size_t index) {
    const Box& box = plan_.boxes[index];
    std::vector<std::size_t> left, right;
    for (std::size_t i = 0; i < box.members.size(); ++i) {
      if (!box.members[i].is_hidden) (box.members[i].right ? right : left).push_back(i);
    }
    const std::size_t rows = std::max<std::size_t>({left.size(), right.size(), 1});
    std::string table(kNoTable);
    for (std::size_t row = 0; row < rows; ++row) {
      table += "<TR>" + side(box, left, row, rows, false);
      if (row == 0) table += middle(box, rows);
      table += side(box, right, row, rows, true) + "</TR>";
    }
    for (int behind = 0; box.is_array && behind < 2; ++behind) table += card(!left.empty(), !right.empty());
    dot_.line(quoted(box.path) + " [label=<" + table + "</TABLE>>]");
  }

  static std::string middle(const Box& box, std::size_t rows) {
    return "<TD ROWSPAN=\"" + std::to_string(rows) + "\" BORDER=\"1\" SIDES=\"TB\" COLOR=\"" + std::string(kFrame) +
           "\" BGCOLOR=\"white\" CELLPADDING=\"5\">" + title(box) + "</TD>";
  }

  /// The square and the name of a member, in the row of its side; the box's border runs between them.
  static std::string side(const Box& box, const std::vector<std::size_t>& members, std::size_t row, std::size_t rows,
                          bool is_right) {
    std::string sides = is_right ? "R" : "L";
    if (row == 0) sides += 'T';
    if (row + 1 == rows) sides += 'B';
    const bool exists = row < members.size();
    const std::string name = exists ? small(escaped(box.members[members[row]].name)) : "";
    std::string inner = "<TD BORDER=\"1\" SIDES=\"" + sides + "\" COLOR=\"" + std::string(kFrame) +
                        "\" BGCOLOR=\"white\" CELLPADDING=\"3\" ALIGN=\"" + (is_right ? "RIGHT" : "LEFT") + "\">" +
                        name + "</TD>";
    std::string outer = members.empty() ? "" : "<TD WIDTH=\"10\"></TD>";
    if (exists) outer = "<TD PORT=\"" + port_id(members[row]) + "\">" + square(box.members[members[row]]) + "</TD>";
    return is_right ? inner + outer : outer + inner;
  }

  // --- objects with parts

  void frame(std::size_t index) {
    const Box& box = plan_.boxes[index];
    if (index == 0 &&
        std::none_of(box.members.begin(), box.members.end(), [](const Member& it) { return is_on_rim(it); })) {
      group(box.content, box.path);
      variables(index);
      wires(index, false);
      is_frameless_ = true;
      return;
    }
    dot_.open("subgraph " + quoted("cluster " + box.path + " outside"));
    dot_.line("graph [label=\"\", margin=8, style=invis]");
    dot_.open("subgraph " + quoted("cluster " + box.path));
    dot_.line("graph [label=<" + frame_title(box) + ">, margin=1, style=\"rounded,filled" +
              (box.stereotype.empty() ? "" : ",dashed") + "\", fillcolor=\"" + (index == 0 ? "#FFFFFF" : "#F3F6F9") +
              "\", color=" + quoted(kFrame) + (box.is_array ? ", penwidth=2.5" : ", penwidth=1") + "]");
    rim(index, false);
    rim(index, true);
    dot_.open("subgraph " + quoted("cluster " + box.path + " content"));
    dot_.line("graph [label=\"\", margin=20, style=invis]");
    group(box.content, box.path);
    variables(index);
    wires(index, false);
    dot_.close();
    wires(index, true);
    hold_rim(index, box.content);
    dot_.close();
    dot_.close();
  }

  /// Any node of an object.
  std::string some_node(std::size_t index) const {
    const Box& box = plan_.boxes[index];
    if (box.content.is_empty()) return box.path;
    for (std::size_t i = 0; i < box.members.size(); ++i) {
      if (is_on_rim(box.members[i])) return rim_node(index, i);
    }
    const Group* group = &box.content;
    while (group->boxes.empty()) group = &group->groups.front();
    return some_node(group->boxes.front());
  }

  /// Invisible arcs keep the squares of the right side right of all content, and those of the left side left of it.
  void hold_rim(std::size_t index, const Group& group) {
    const Box& box = plan_.boxes[index];
    for (const bool is_right : {false, true}) {
      std::size_t rim = 0;
      while (rim < box.members.size() && !is_on_rim(box.members[rim], is_right)) ++rim;
      if (rim == box.members.size()) continue;
      for (const std::size_t inner : group.boxes) {
        const std::string from = is_right ? some_node(inner) : rim_node(index, rim);
        const std::string to = is_right ? rim_node(index, rim) : some_node(inner);
        dot_.line(quoted(from) + " -> " + quoted(to) + " [style=invis, weight=0]");
      }
    }
    for (const Group& inner : group.groups) hold_rim(index, inner);
  }

  static std::string frame_title(const Box& box) {
    std::string text;
    if (!box.stereotype.empty()) text += small("«" + escaped(box.stereotype) + "»\u00a0", kQuiet);
    text += "<B>" + escaped(box.name) + "</B>";
    if (!box.class_name.empty()) text += small("\u00a0\u00a0" + escaped(box.class_name), kQuiet);
    return text;
  }

  static bool is_on_rim(const Member& member) { return member.kind != MemberKind::Variable && !member.is_hidden; }
  static bool is_on_rim(const Member& member, bool is_right) { return is_on_rim(member) && member.right == is_right; }

  std::string rim_node(std::size_t index, std::size_t member) const {
    return plan_.boxes[index].path + ' ' + plan_.boxes[index].members[member].name;
  }

  /// Squares on one side of a frame: in its first or last rank, all of one width, and the frame has no margin.
  void rim(std::size_t index, bool is_right) {
    const Box& box = plan_.boxes[index];
    std::size_t widest = 0;
    for (const Member& member : box.members) {
      if (is_on_rim(member, is_right)) widest = std::max(widest, width_of(member.name));
    }
    if (widest == 0) return;
    dot_.open("");
    dot_.line(is_right ? "graph [rank=sink]" : "graph [rank=source]");
    for (std::size_t i = 0; i < box.members.size(); ++i) {
      if (!is_on_rim(box.members[i], is_right)) continue;
      const std::string& name = box.members[i].name;
      const std::string outer = "<TD PORT=\"o\" HEIGHT=\"24\">" + square(box.members[i]) + "</TD>";
      const std::string inner = "<TD PORT=\"i\" CELLPADDING=\"2\">" + small(escaped(name)) + "</TD>";
      const std::size_t missing = widest - width_of(name);
      const std::string filler = missing > 0 ? "<TD WIDTH=\"" + std::to_string(missing) + "\"></TD>" : "";
      dot_.line(quoted(rim_node(index, i)) + " [label=<" + std::string(kNoTable) + "<TR>" +
                (is_right ? filler + inner + outer : outer + inner + filler) + "</TR></TABLE>>]");
    }
    dot_.close();
  }

  void group(const Group& group, const std::string& path) {
    if (!group.caption.empty()) {
      dot_.open("subgraph " + quoted("cluster " + path + ' ' + group.caption));
      dot_.line("graph [label=<" + small("<I>" + escaped(group.caption) + "</I>", "#8A4B08") +
                ">, margin=10, style=\"rounded,dashed,filled\", fillcolor=\"#FFF8E7\", color=\"#B08A2E\"]");
    }
    for (const std::size_t index : group.boxes) box(index);
    for (const Group& inner : group.groups) this->group(inner, path);
    if (!group.caption.empty()) dot_.close();
  }

  /// Variables of the container itself that its wires use.
  void variables(std::size_t index) {
    const Box& box = plan_.boxes[index];
    for (std::size_t i = 0; i < box.members.size(); ++i) {
      if (box.members[i].kind != MemberKind::Variable) continue;
      dot_.line(quoted(rim_node(index, i)) + " [shape=box, style=rounded, height=0.2, margin=\"0.05,0.02\", color=" +
                quoted(kValueColour) + ", label=<" + small(escaped(box.members[i].name)) + ">]");
    }
  }

  // --- wires

  /// Those that end at the frame itself are written outside its content.
  void wires(std::size_t index, bool at_rim) {
    for (const Wire& wire : plan_.boxes[index].wires) {
      if (at_rim == (touches_rim(wire.from) || touches_rim(wire.to))) this->wire(wire);
    }
  }

  bool touches_rim(const End& end) const {
    return end.inside && end.member != End::kWhole && is_on_rim(plan_.boxes[end.box].members[end.member]);
  }

  /// Where a wire ends: `"plant.tank1":m2:e`.
  std::string end_text(const End& end) const {
    const Box& box = plan_.boxes[end.box];
    if (end.member == End::kWhole) return quoted(box.path);
    const Member& member = box.members[end.member];
    const std::string_view outwards = member.right ? "e" : "w";
    if (box.content.is_empty()) return quoted(box.path) + ':' + port_id(end.member) + ':' + std::string(outwards);
    if (!is_on_rim(member)) return quoted(rim_node(end.box, end.member));
    const std::string_view inwards = member.right ? "w" : "e";
    return quoted(rim_node(end.box, end.member)) +
           (end.inside ? ":i:" + std::string(inwards) : ":o:" + std::string(outwards));
  }

  /// A frame as such has no node that a wire could end at.
  bool can_end(const End& end) const { return end.member != End::kWhole || plan_.boxes[end.box].content.is_empty(); }

  void wire(const Wire& wire) {
    if (!can_end(wire.from) || !can_end(wire.to)) return;
    const WireLook look = look_of(wire.kind);
    used_.insert(wire.kind);
    std::string text = "color=" + quoted(look.colour);
    if (!look.style.empty()) text += ", " + std::string(look.style);
    if (!wire.forward)
      text += ", dir=none";
    else if (wire.backward)
      text += ", dir=both";
    // Feedback from the right rim must not draw the rim to the left.
    if (touches_rim(wire.from) && plan_.boxes[wire.from.box].members[wire.from.member].right)
      text += ", constraint=false";
    if (!wire.label.empty()) text += ", label=<" + label(wire) + ">, fontcolor=" + quoted(look.colour);
    dot_.line(end_text(wire.from) + " -> " + end_text(wire.to) + " [" + text + "]");
  }

  static std::string label(const Wire& wire) {
    std::string text;
    for (std::size_t begin = 0; begin <= wire.label.size();) {
      const std::size_t end = std::min(wire.label.find('\n', begin), wire.label.size());
      for (const std::string& line : wrapped(wire.label.substr(begin, end - begin), kCaptionWidth)) {
        text += (text.empty() ? "" : "<BR/>") + escaped(line);
      }
      begin = end + 1;
    }
    return wire.is_temporary ? "<I>" + text + "</I>" : text;
  }

  /// At the bottom: the sorts of wires in the picture, and the model if it has no frame.
  void legend() {
    if (used_.empty() && !is_frameless_) return;
    std::string text;
    if (is_frameless_) text = "<TD><B>" + escaped(plan_.boxes.front().name) + "</B></TD>";
    for (const WireKind kind : used_) {
      const WireLook look = look_of(kind);
      text += "<TD><FONT POINT-SIZE=\"9\" COLOR=\"" + std::string(look.colour) + "\">" + std::string(look.words) +
              "</FONT></TD>";
    }
    dot_.line("graph [labelloc=b, label=<<TABLE BORDER=\"0\" CELLSPACING=\"6\"><TR>" + text + "</TR></TABLE>>]");
  }

  const StructurePlan& plan_;
  Dot dot_;
  std::set<WireKind> used_;
  bool is_frameless_ = false;
};

}  // namespace

base::Result<std::string> draw_structure(const model::Model& model, const diag::Sources& sources, model::ClassId top,
                                         std::size_t depth) {
  const StructurePlan plan = plan_structure(model, sources, top, depth);
  if (plan.is_too_large) {
    return base::Failure{"the structure has more than " + std::to_string(kMostBoxes) +
                         " objects; --depth opens fewer levels"};
  }
  return Drawing(plan).draw();
}

}  // namespace hyla::picture

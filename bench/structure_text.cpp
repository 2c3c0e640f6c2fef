#include "structure_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace hyla::bench {
namespace {

constexpr std::array<KnownChange, 5> kChanges = {{
    {"equations in states", R"(
model Cascade {
    output x[5]: Real := fill(1, 5);
    output q[5]: Real;
    der(x[1]) = 1 - q[1];
    for i in 2..5 { der(x[i]) = q[i - 1] - q[i]; }
    chart {
        initial -> Low;
        state Low {
            for i in 1..5 { q[i] = 0.2 * x[i]; }
            after 0.001 -> High { x[1] := x[1] + 1e-9; }
        }
        state High {
            for i in 1..5 { q[i] = 0.21 * x[i]; }
            after 0.001 -> Low { x[1] := x[1] - 1e-9; }
        }
    }
}
)",
     R"(
model Cascade {
    output x[5]: Real := fill(1, 5);
    output q[5]: Real;
    der(x[1]) = 1 - q[1];
    for i in 2..5 { der(x[i]) = q[i - 1] - q[i]; }
    for i in 1..5 { q[i] = 0.2 * x[i]; }
    chart {
        initial -> Low;
        state Low { after 0.001 -> High { x[1] := x[1] + 1e-9; } }
        state High { after 0.001 -> Low { x[1] := x[1] - 1e-9; } }
    }
}
)"},
    {"objects in states", R"(
model Stage {
    parameter r = 0.2;
    input inflow := 1;
    output x := 1;
    output q = r * x;
    der(x) = inflow - q;
}
model Cascade {
    discrete load := 1;
    object a: Stage(inflow = load);
    object b: Stage;
    object c: Stage;
    object d: Stage;
    connect a.q -> b.inflow;
    connect b.q -> c.inflow;
    chart {
        initial -> Low;
        state Low {
            object e: Stage;
            connect c.q -> e.inflow;
            connect e.q -> d.inflow;
            after 0.001 -> High { load := 1.01; }
        }
        state High {
            object e: Stage(r = 0.21);
            connect c.q -> e.inflow;
            connect e.q -> d.inflow;
            after 0.001 -> Low { load := 1; }
        }
    }
}
)",
     R"(
model Stage {
    parameter r = 0.2;
    input inflow := 1;
    output x := 1;
    output q = r * x;
    der(x) = inflow - q;
}
model Cascade {
    discrete load := 1;
    object a: Stage(inflow = load);
    object b: Stage;
    object c: Stage;
    object d: Stage;
    object e: Stage;
    connect a.q -> b.inflow;
    connect b.q -> c.inflow;
    connect c.q -> e.inflow;
    connect e.q -> d.inflow;
    chart {
        initial -> Low;
        state Low { after 0.001 -> High { load := 1.01; } }
        state High { after 0.001 -> Low { load := 1; } }
    }
}
)"},
    {"an occupant exchanged", R"(
abstract model Valve {
    input x := 1;
    output q: Real;
}
model Wide extends Valve { q = 0.2 * x; }
model Narrow extends Valve { q = 0.19 * x; }
model Cascade {
    output x[5]: Real := fill(1, 5);
    output q[4]: Real;
    dynamic valve: Valve := Wide();
    connect x[5] -> valve.x;
    for i in 1..4 { q[i] = 0.2 * x[i]; }
    der(x[1]) = 1 - q[1];
    for i in 2..4 { der(x[i]) = q[i - 1] - q[i]; }
    der(x[5]) = q[4] - valve.q;
    chart {
        initial -> Low;
        state Low { after 0.001 -> High { valve := Narrow(); } }
        state High { after 0.001 -> Low { valve := Wide(); } }
    }
}
)",
     R"(
abstract model Valve {
    input x := 1;
    output q: Real;
}
model Wide extends Valve { q = 0.2 * x; }
model Cascade {
    output x[5]: Real := fill(1, 5);
    output q[4]: Real;
    dynamic valve: Valve := Wide();
    connect x[5] -> valve.x;
    for i in 1..4 { q[i] = 0.2 * x[i]; }
    der(x[1]) = 1 - q[1];
    for i in 2..4 { der(x[i]) = q[i - 1] - q[i]; }
    der(x[5]) = q[4] - valve.q;
    chart {
        initial -> Low;
        state Low { after 0.001 -> High { x[1] := x[1] + 1e-9; } }
        state High { after 0.001 -> Low { x[1] := x[1] - 1e-9; } }
    }
}
)"},
    {"plugs joined in states", R"(
connector Pipe {
    potential p: Real;
    flow q: Real;
}
model Tank {
    plug a: Pipe;
    output x := 1;
    a.p = x;
    der(x) = a.q;
}
model Valve {
    plug a, b: Pipe;
    input k := 0.2;
    a.q = k * (a.p - b.p);
    a.q + b.q = 0;
}
model Plant {
    object t: Tank;
    object u: Tank(x := 2);
    discrete k := 0.2;
    object v: Valve(k = k);
    connect t.a -- v.a;
    chart {
        initial -> Joined;
        state Joined {
            connect u.a -- v.b;
            after 0.001 -> Parted { k := 0.21; }
        }
        state Parted { after 0.001 -> Joined { k := 0.2; } }
    }
}
)",
     R"(
connector Pipe {
    potential p: Real;
    flow q: Real;
}
model Tank {
    plug a: Pipe;
    output x := 1;
    a.p = x;
    der(x) = a.q;
}
model Valve {
    plug a, b: Pipe;
    input k := 0.2;
    a.q = k * (a.p - b.p);
    a.q + b.q = 0;
}
model Plant {
    object t: Tank;
    object u: Tank(x := 2);
    discrete k := 0.2;
    object v: Valve(k = k);
    connect t.a -- v.a;
    connect u.a -- v.b;
    chart {
        initial -> Joined;
        state Joined { after 0.001 -> Parted { k := 0.21; } }
        state Parted { after 0.001 -> Joined { k := 0.2; } }
    }
}
)",
     R"(
connector Pipe {
    potential p: Real;
    flow q: Real;
}
model Tank {
    plug a: Pipe;
    output x := 1;
    a.p = x;
    der(x) = a.q;
}
model Valve {
    plug a, b: Pipe;
    input k := 0.2;
    a.q = k * (a.p - b.p);
    a.q + b.q = 0;
}
model Plant {
    object t: Tank;
    object u: Tank(x := 2);
    discrete k := 0.2;
    object v: Valve(k = k);
    connect t.a -- v.a;
    chart {
        initial -> Joined;
        state Joined { after 0.001 -> Parted { k := 0.21; } }
        state Parted { after 0.001 -> Joined { k := 0.2; } }
    }
}
)"},
    {"plugs joined by actions", R"(
connector Pipe {
    potential p: Real;
    flow q: Real;
}
model Tank {
    plug a: Pipe;
    output x := 1;
    a.p = x;
    der(x) = a.q;
}
model Valve {
    plug a, b: Pipe;
    input k := 0.2;
    a.q = k * (a.p - b.p);
    a.q + b.q = 0;
}
model Plant {
    object t: Tank;
    object u: Tank(x := 2);
    discrete k := 0.2;
    object v: Valve(k = k);
    connect t.a -- v.a;
    chart {
        initial -> Parted;
        state Joined { after 0.001 -> Parted { k := 0.21; disconnect u.a -- v.b; } }
        state Parted { after 0.001 -> Joined { k := 0.2; connect u.a -- v.b; } }
    }
}
)",
     R"(
connector Pipe {
    potential p: Real;
    flow q: Real;
}
model Tank {
    plug a: Pipe;
    output x := 1;
    a.p = x;
    der(x) = a.q;
}
model Valve {
    plug a, b: Pipe;
    input k := 0.2;
    a.q = k * (a.p - b.p);
    a.q + b.q = 0;
}
model Plant {
    object t: Tank;
    object u: Tank(x := 2);
    discrete k := 0.2;
    object v: Valve(k = k);
    connect t.a -- v.a;
    connect u.a -- v.b;
    chart {
        initial -> Joined;
        state Joined { after 0.001 -> Parted { k := 0.21; } }
        state Parted { after 0.001 -> Joined { k := 0.2; } }
    }
}
)",
     R"(
connector Pipe {
    potential p: Real;
    flow q: Real;
}
model Tank {
    plug a: Pipe;
    output x := 1;
    a.p = x;
    der(x) = a.q;
}
model Valve {
    plug a, b: Pipe;
    input k := 0.2;
    a.q = k * (a.p - b.p);
    a.q + b.q = 0;
}
model Plant {
    object t: Tank;
    object u: Tank(x := 2);
    discrete k := 0.2;
    object v: Valve(k = k);
    connect t.a -- v.a;
    chart {
        initial -> Joined;
        state Joined { after 0.001 -> Parted { k := 0.21; } }
        state Parted { after 0.001 -> Joined { k := 0.2; } }
    }
}
)"},
}};

/// Wraps a body that a state brings into being.
std::string entered_at_one(std::string_view before, std::string_view body) {
  return fmt::format(R"({}
model Case {{
    chart {{
        initial -> Before;
        state Before {{ after 1 -> Fresh; }}
        state Fresh {{
{}        }}
    }}
}}
)",
                     before, body);
}

/// Coupled scalar equations: two for each cell.
std::string scalars_text(std::size_t equations) {
  const std::size_t cells = std::max<std::size_t>(equations / 2, 2);
  return entered_at_one("", fmt::format(R"(
            var x: Real[{0}] := fill(1, {0});
            var y: Real[{0}];
            for i in 1..{0} {{ y[i] = 0.5 * x[i] - 1; }}
            der(x[1]) = 1 - x[1];
            for i in 2..{0} {{ der(x[i]) = x[i - 1] - x[i] + 0.1 * y[i - 1]; }}
)",
                                        cells));
}

/// Masses and springs of the library, joined by plugs: 23 equations for each.
std::string masses_text(std::size_t equations) {
  const std::size_t cells = std::max<std::size_t>(equations / 16, 2);
  return entered_at_one("import translational;\n", fmt::format(R"(
            object m[{0}]: translational.Mass;
            object s[{1}]: translational.Spring;
            for i in 1..{1} {{
                connect m[i].b -- s[i].a;
                connect s[i].b -- m[i + 1].a;
            }}
)",
                                                               cells, cells - 1));
}

/// A ladder of resistors and capacitors, through the plugs of a container: about 20 equations for each cell.
std::string ladder_text(std::size_t equations) {
  const std::size_t cells = std::max<std::size_t>(equations / 22, 2);
  return entered_at_one(R"(import electrical;
model Cell {
    plug p, n, g: electrical.Pin;
    object r: electrical.Resistor(R = 1);
    object c: electrical.Capacitor(C = 1);
    connect p -- r.p;
    connect r.n -- n;
    connect r.n -- c.p;
    connect c.n -- g;
}
)",
                        fmt::format(R"(
            object cells[{0}]: Cell;
            object source: electrical.ConstantVoltage(V = 1);
            object ground: electrical.Ground;
            connect source.n -- ground.p;
            connect source.p -- cells[1].p;
            for i in 1..{1} {{ connect cells[i].n -- cells[i + 1].p; }}
            for i in 1..{0} {{ connect cells[i].g -- ground.p; }}
)",
                                    cells, cells - 1));
}

constexpr std::array<FreshStructure, 3> kFresh = {
    {{"scalar equations", scalars_text}, {"masses and springs", masses_text}, {"RC ladder", ladder_text}}};

}  // namespace

std::span<const KnownChange> known_changes() { return kChanges; }

std::span<const FreshStructure> fresh_structures() { return kFresh; }

std::string pairs_text(std::size_t pairs, bool changes) {
  return fmt::format(R"(
connector Pipe {{
    potential p: Real;
    flow q: Real;
}}
model Tank {{
    plug a: Pipe;
    output x := 1;
    a.p = x;
    der(x) = a.q;
}}
model Plant {{
    object left[{0}]: Tank;
    object right[{0}]: Tank;
    object one: Tank;
    object other: Tank;
    for i in 1..{0} {{ connect left[i].a -- right[i].a; }}
    discrete is_joined: Boolean := false;
    every 1 {{
        if {1} and is_joined {{
            disconnect one.a -- other.a;
        }} else if {1} {{
            connect one.a -- other.a;
        }}
        is_joined := not is_joined;
    }}
}}
)",
                     pairs, changes);
}

}  // namespace hyla::bench

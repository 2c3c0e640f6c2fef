// Messages at ports: which message a text names, and whether it may pass there.
#pragma once

#include "check/context.h"
#include "check/expressions.h"

namespace hyla::check {

enum class Flow : std::uint8_t { Receive, Send };

/// `port.Job`: the port (or mailbox) and the message. `Job` alone names a message without a port, where that is enough.
struct MessageReference {
  model::ExprId port;
  model::MessageId message;  ///< none: any message of the port
  model::SignalId signal;
  Span span;
  bool failed = false;
};

/// `port.Job` or `Job` in `m is …`.
MessageReference resolve_message(Context& context, const Place& place, NodeId reference);

/// `port.Job`, `port`, `box`, `Signal`: what `on`, `receive` and `defer` wait for. Reports messages that do not come in
/// there.
MessageReference resolve_event(Context& context, const Place& place, NodeId reference);

/// The port and message of `send port.Job`. Reports messages that cannot be sent there.
MessageReference resolve_delivery(Context& context, const Place& place, NodeId reference, bool passes_on);

/// The messages that pass a port in one direction, seen from its own object.
const std::vector<model::MessageId>& messages_of(const model::Port& port, Flow flow);

/// Checks an Event node with its binders and `as` name; the names are declared in `scope`.
model::Awaited check_event(Context& context, const Place& place, NodeId event, NodeId alias, ScopeId scope);

}  // namespace hyla::check

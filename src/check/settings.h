// Settings of environment packages, in sections and experiments.
#pragma once

#include <optional>

#include "check/context.h"
#include "check/expressions.h"

namespace hyla::check {

/// `name = value;` for a parameter of the package.
std::optional<model::Setting> check_setting(Context& context, const Place& place, NodeId node,
                                            model::PackageId package);

/// Adds a setting and reports a second one of the same name.
void add_setting(Context& context, std::vector<model::Setting>& settings, const model::Setting& setting);

}  // namespace hyla::check

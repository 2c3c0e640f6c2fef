// Settings of environment packages, in sections and experiments.
#pragma once

#include <optional>

#include "check/context.h"
#include "check/expressions.h"

namespace hyla::check {

/// `name = value;` for a parameter of the package.
std::optional<model::Setting> check_setting(Context& context, const Place& place, NodeId node,
                                            model::PackageId package);

}  // namespace hyla::check

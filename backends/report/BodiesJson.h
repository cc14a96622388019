#pragma once
//===- BodiesJson.h - What passes run, for scripts --------------------------------------------===//
#include "ir/Plan.h"
#include <nlohmann/json_fwd.hpp>

namespace dpl::report {

/// The bodies of a plan, each with its blocks of segments.
nlohmann::ordered_json bodiesJson(const ir::Plan& plan);
/// Which bodies a chunk runs, and its collectives, which their calls name by their place.
nlohmann::ordered_json programJson(const ir::Plan& plan, std::size_t chunk);

} // namespace dpl::report

#pragma once
//===- WhyJson.h - The derivation of a figure and the timeline of a step as JSON
//---------------===//
#include "figures/Figures.h"
#include "support/Json.h"

namespace dpl::report {

/// The derivation of a figure as a tree: `path`, `value`, `unit`, `provenance`, `formula`,
/// `source`, `note` and `inputs`. A figure that the tree has already is `repeated`, without its
/// inputs. Of a prefix the list of its figures. Null if there is none.
Json whyJson(const figures::Figures& figures, const std::string& path);

/// When each pipeline rank runs which action, in ps from the start of the step.
Json timelineJson(const ir::Plan& plan);

} // namespace dpl::report

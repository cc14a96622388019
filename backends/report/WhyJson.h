#pragma once
//===- WhyJson.h - The derivation of figures as JSON ------------------------------------------===//
#include "figures/Figures.h"
#include "support/Json.h"

namespace dpl::report {

/// The derivation of a figure as a tree: `path`, `value`, `unit`, `provenance`, `formula`,
/// `source`, `note` and `inputs`. A figure that the tree has already is `repeated`, without its
/// inputs. Of a prefix the list of its figures. Null if there is none.
Json whyJson(const figures::Figures& figures, const std::string& path);

/// One figure without its path: value, unit and provenance, and the formula with the paths of the
/// figures that it reads.
Json figureJson(const figures::Figures& figures, const figures::Figure& figure);

} // namespace dpl::report

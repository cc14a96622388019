#pragma once
//===- Report.h - What people and scripts read about a plan -----------------------------------===//
//
// Pure functions from a complete plan to text or a value. They compute no figure: each comes from
// the plan or its figures, so that the screen, the report and the JSON cannot disagree.
#include "figures/Figures.h"
#include <string>
#include <vector>

namespace dpl {
class Json;
}

namespace dpl::report {

/// One screen: what the plan is, whether it fits, how fast it is and what it loses most time to.
/// `width` is the columns of the terminal, at least 60. `warnings` counts what check reported.
std::string renderCheck(const ir::Plan& plan, unsigned width, unsigned warnings);

/// The full breakdown.
std::string renderReport(const ir::Plan& plan, unsigned width);

/// The schedule as a line a pipeline rank, with what the ranks lose by waiting. With `colour` for a
/// terminal that has colours.
std::string renderTimeline(const ir::Plan& plan, unsigned width, bool colour);

/// The schedule and the memory of the fullest pipeline ranks over the step, as an SVG file.
std::string renderSvg(const ir::Plan& plan);

/// Everything of the report and all figures with their derivation; docs/reference/json.md describes
/// the fields. Numbers are in the base unit that their name or their `unit` states. `where` says
/// where a declared fact was set.
Json reportJson(const ir::Plan& plan, figures::FieldLocator where = {});

/// What a search or a study varies and wants: lines for the screen of its file.
std::string spaceLines(const ir::Space& space, unsigned width);
Json spaceJson(const ir::Space& space);
Json runJson(const ir::Run& run);

/// What `schedule = auto` weighed; empty without it.
std::string candidateLines(const ir::Plan& plan, unsigned width);
Json candidatesJson(const ir::Plan& plan);

/// The derivation of a figure down to its leaves, wrapped to `width` columns; for a path that is a
/// prefix of figures
/// ("memory"), their list. Empty when the plan has nothing of that name.
std::string why(const figures::Figures& figures, const std::string& path, unsigned width = 100);

} // namespace dpl::report

#pragma once
//===- Report.h - Output of a plan for people and scripts -------------------------------------===//
//
// All functions are pure, from a complete plan to text or JSON. They compute no figures: each value
// is that of the plan or of its figures, so that screen, report and JSON agree.
#include "figures/Figures.h"
#include <string>
#include <vector>

namespace dpl {
class Json;
}

namespace dpl::report {

/// One screen: the plan, whether it fits, its speed, and its largest losses of time. `width` is the
/// number of columns of the terminal, at least 60. `warnings` is the number of warnings that check
/// reported.
std::string renderCheck(const ir::Plan& plan, unsigned width, unsigned warnings);

/// A change of a layout and the complete plan of the changed file.
struct ChangedLayout {
  std::string change; ///< the change as lines of the layout block, joined by commas
  const ir::Plan& plan;
};
/// The last lines of the screen: the change that gains most, or, if `best` is null, that no change
/// gains. `all` is false if some changes were not tried.
std::string renderAdvice(const ir::Plan& plan, const ChangedLayout* best, bool all, unsigned width);

/// All sections of the report.
std::string renderReport(const ir::Plan& plan, unsigned width);

/// The schedule, with one line per pipeline rank, and the waiting times of ranks. `colour` says
/// whether the terminal has colours.
std::string renderTimeline(const ir::Plan& plan, unsigned width, bool colour);

/// The schedule and the memory of the fullest pipeline ranks over the step, as an SVG file.
std::string renderSvg(const ir::Plan& plan);

/// The whole report, and all figures with their derivation, as JSON. docs/reference/json.md
/// describes the fields. Numbers are in the base unit that their name or `unit` says. `where`
/// returns the place in a file where a declared fact is set.
Json reportJson(const ir::Plan& plan, figures::FieldLocator where = {});

/// The figures with these paths, one per line; a dash if the plan does not have one.
std::string chosenFigures(const ir::Plan& plan, llvm::ArrayRef<std::string> paths, unsigned width);
Json chosenFiguresJson(const ir::Plan& plan, llvm::ArrayRef<std::string> paths);

/// The open fields and objectives of a search or study, as lines of the screen.
std::string spaceLines(const ir::Space& space, unsigned width);
Json spaceJson(const ir::Space& space);
Json runJson(const ir::Run& run);

/// The candidates that `schedule = auto` compared; empty if the schedule is not `auto`.
std::string candidateLines(const ir::Plan& plan, unsigned width);
Json candidatesJson(const ir::Plan& plan);

/// The derivation of a figure down to its inputs, wrapped to `width` columns. If `path` is a prefix
/// of several figures ("memory"), their list. Empty if no figure has that path.
std::string why(const figures::Figures& figures, const std::string& path, unsigned width = 100);

} // namespace dpl::report

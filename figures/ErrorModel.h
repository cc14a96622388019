#pragma once
//===- ErrorModel.h - The error that measured runs let a prediction expect --------------------===//
//
// The expected error of a step time is a sum of contributions: each is a weight times a property of
// the plan, such as the share of the step that is not kernels. The weights are fitted to measured
// runs (driver/score/ErrorFit.h) and are in figures/ErrorTable.def.
#include "ir/Plan.h"
#include <array>

namespace dpl::figures {

class Figures;

/// What contributes to an error. Each has a property of the plan from 0 to 1.
enum class ErrorSource : std::uint8_t {
#define ERROR_SOURCE(ENUMERATOR, NAME, ...) ENUMERATOR,
#include "figures/ErrorSources.def"
};
constexpr std::size_t errorSources = 0
#define ERROR_SOURCE(ENUMERATOR, NAME, ...) +1
#include "figures/ErrorSources.def"
    ;
constexpr std::size_t indexOf(ErrorSource source) { return static_cast<std::size_t>(source); }
const char* name(ErrorSource source);

/// The property of each source in one plan.
using ErrorShares = std::array<double, errorSources>;

/// Errors of one quantity. The measured value is in 80 % of runs between `predicted / (1 + below ×
/// error)` and `predicted × (1 + above × error)`, where `error` is the sum of weights × shares.
struct ErrorModel {
  std::array<double, errorSources> weights{};
  double below = 0, above = 0;
  std::uint64_t rows = 0, families = 0; ///< measured runs that it is fitted to, and their sources
  double error(const ErrorShares& shares) const;
};
enum class ErrorQuantity : std::uint8_t { StepTime, Memory };
/// The model in figures/ErrorTable.def.
const ErrorModel& errorModel(ErrorQuantity of);
/// Month in which the table was written: "2026-11".
const char* monthOfErrors();

/// The kind of a layout, in which runs are counted.
struct LayoutKind {
  bool experts = false, tensor = false, pipeline = false; ///< whether it has such ranks or layers
  unsigned zeroStage = 0;
  friend auto operator<=>(const LayoutKind&, const LayoutKind&) = default; // NOLINT: no pointer
};
LayoutKind kindOf(const ir::Plan& plan);
/// The number of measured steps of this kind.
std::uint64_t measuredRuns(const LayoutKind& kind);

/// The share of free memory up to which fewer than nine in ten of the measured runs that are
/// predicted to fit ran.
double barelyShare();
/// Whether a plan that fits leaves less than `barelyShare`.
bool fitsBarely(const ir::RankMemory& rank);

bool hasExperts(const ir::Model& model);
/// The figure that is the property of a source; null if the property is 1 or 0.
const char* shareOf(ErrorSource source);
/// Whether a source without a figure contributes: the kind of model, or an assumption.
bool holds(const ir::Plan& plan, ErrorSource source);
/// The property of each source; `figures` are those of the plan.
ErrorShares errorShares(const ir::Plan& plan, const Figures& figures);
/// Whether the plan leaves the input to a library default, by the fields that it sets.
bool assumes(const ir::Plan& plan, ErrorSource source);

} // namespace dpl::figures

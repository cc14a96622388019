#pragma once
//===- Derivation.h - Results: named quantities with where they come from ---------------------===//
//
// One tree serves `report --why`, the assertion diagram, the report and the JSON output.
#include "ir/Basics.h"
#include "support/Number.h"
#include <initializer_list>

namespace dpl::ir {

/// Simulated: it came out of executing the schedule; no formula gives it.
enum class Provenance : std::uint8_t { Derived, Declared, Measured, Assumed, Simulated };

/// One figure. `value` is in base units of `dimension` (bytes, seconds, FLOP, …).
struct Quantity {
  std::string path; ///< "memory.peak", "time.forward", "layout.batch"
  double value = 0;
  std::string dimension; ///< a type name of the language: "Bytes", "Duration"; "" is a plain number
  /// Arithmetic over the inputs, so that `--why` can plug in and vary them: an input is named by
  /// its whole path or by the last part of it where that is unique ("step_time", "peak"); + - * / ^
  /// ( ), numbers, min max sum ceil floor sqrt. A sentence is allowed where no formula exists (a
  /// schedule was simulated); then nothing is plugged in. Empty for a declared value.
  std::string formula;
  std::vector<std::string> inputs; ///< paths of other quantities
  Provenance provenance = Provenance::Derived;
  std::string source; ///< "plan.dpl:21:3" or a publication, for a declared or assumed value
  std::string note;   ///< the definition: what is counted and what is not

  template <class V> void fields(V& v) {
    v("path", path), v("value", value), v("dimension", dimension), v("formula", formula);
    v("inputs", inputs), v("provenance", provenance), v("source", source), v("note", note);
  }
};

/// All figures of a plan, in the order they were computed. Paths are unique.
struct Results {
  std::vector<Quantity> quantities;
  const Quantity* find(const std::string& path) const;
  /// Adds a figure; a path that exists is replaced. Returns its value.
  double add(Quantity q);
  double derived(std::string path, double value, std::string dimension, std::string formula,
                 std::initializer_list<std::string> inputs, std::string note = "");
  template <class V> void fields(V& v) { v("quantity", quantities); }
};

} // namespace dpl::ir

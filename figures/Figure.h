#pragma once
//===- Figure.h - A predicted number and its origin -------------------------------------------===//
#include "support/Number.h"
#include <cstdint>
#include <string>
#include <vector>

namespace dpl::figures {

/// The origin of a value. Simulated: the result of executing the schedule, without a formula.
enum class Provenance : std::uint8_t { Derived, Declared, Assumed, Simulated };
const char* name(Provenance p);

/// One figure of a plan. `value` is in base units of `dimension` (bytes, seconds, FLOP, …).
struct Figure {
  std::string path; ///< path of the figure: "memory.peak", "stage[0].forward"
  double value = 0;
  Dimension dimension;
  Provenance provenance = Provenance::Derived;
  std::string source;     ///< location or origin of a declared or assumed value: "plan.dpl:21:3";
                          ///< otherwise empty
  std::string note;       ///< definition: what is counted and what is not
  bool overLinks = false; ///< whether the value counts bytes that are sent, which are shown in
                          ///< decimal units
  std::vector<const Figure*> inputs; ///< figures that its formula reads, in order
  std::uint32_t formula = 0;         ///< root of its formula; 0 if it has none
};

} // namespace dpl::figures

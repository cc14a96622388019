#pragma once
//===- Figure.h - A predicted number with where it comes from ---------------------------------===//
#include "support/Number.h"
#include <cstdint>
#include <string>
#include <vector>

namespace dpl::figures {

/// Simulated: it came out of executing the schedule; no formula gives it.
enum class Provenance : std::uint8_t { Derived, Declared, Assumed, Simulated };
const char* name(Provenance p);

/// One figure of a plan. `value` is in base units of `dimension` (bytes, seconds, FLOP, …).
struct Figure {
  std::string path; ///< "memory.peak", "stage[0].forward"
  double value = 0;
  Dimension dimension;
  Provenance provenance = Provenance::Derived;
  std::string source;     ///< "plan.dpl:21:3" or what declares it, of a declared or assumed value
  std::string note;       ///< the definition: what is counted and what is not
  bool overLinks = false; ///< bytes that are sent: read in decimal units
  std::vector<const Figure*> inputs; ///< that its formula reads, in its order
  std::uint32_t formula = 0;         ///< root of its expression; 0 where it has none
};

} // namespace dpl::figures

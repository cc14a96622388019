#pragma once
//===- Assumption.h - Rows without one of the inputs that they state --------------------------===//
//
// How much an input is worth that nobody stated is measured by leaving it out of rows that state
// it: the prediction then uses the library's default, and its error grows.
#include "driver/score/Mapping.h"
#include "figures/ErrorModel.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::score {

struct Assumption {
  figures::ErrorSource source;
  /// Fields that are left out: paths, and the fields below them.
  std::vector<const char*> dropped;
  std::vector<const char*> kept = {}; ///< fields below `dropped` that stay
  /// A field that is set in their place, and its value; null if there is none.
  const char* field = nullptr;
  const char* value = nullptr;
};
/// One for each input. Efficiencies of a device are those of another generation.
llvm::ArrayRef<Assumption> assumptions();
/// Leaves out what sorts runs by memory: bytes outside of tensors that were fitted to them.
const Assumption& assumedMemory();
void assume(const Assumption& assumption, RowSettings& settings);

} // namespace dpl::score

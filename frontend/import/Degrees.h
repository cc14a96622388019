#pragma once
//===- Degrees.h - Degrees of parallelism that do not divide the processes --------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>

namespace dpl::imports {

struct Degree {
  const char* name; ///< option or path of the setting
  std::uint64_t size;
};

/// Finds the degree to report if the number of processes is not a multiple of the product of all
/// degrees: of those in the file the first that does not divide the processes by itself, else the
/// largest. `isWritten` tells whether the file sets it. The first degree if the file sets none.
const char* undivided(std::uint64_t processes, llvm::ArrayRef<Degree> degrees,
                      llvm::function_ref<bool(const char* name)> isWritten);

} // namespace dpl::imports

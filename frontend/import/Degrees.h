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

/// Finds the degree to report if the processes are not a multiple of the product of all degrees:
/// the first in the file that does not divide the processes, else the largest in the file.
/// `isWritten` returns whether the file sets a degree; if it sets none, the first is returned.
const char* undivided(std::uint64_t processes, llvm::ArrayRef<Degree> degrees,
                      llvm::function_ref<bool(const char* name)> isWritten);

} // namespace dpl::imports

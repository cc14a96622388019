#pragma once
//===- Degrees.h - Degrees of parallelism that do not divide the processes --------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>

namespace dpl::imports {

struct Degree {
  const char* name; ///< option, or path of the setting
  std::uint64_t size;
};

/// Finds the degree to report if the number of processes is not a multiple of the product of all
/// degrees. It is the first degree of the file that does not divide the processes, otherwise the
/// largest in the file. `isWritten` returns whether the file sets a degree. If the file sets none,
/// the first degree is returned.
const char* undivided(std::uint64_t processes, llvm::ArrayRef<Degree> degrees,
                      llvm::function_ref<bool(const char* name)> isWritten);

} // namespace dpl::imports

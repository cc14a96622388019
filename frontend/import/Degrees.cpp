//===- Degrees.cpp - Degrees of parallelism that do not divide the processes ------------------===//
#include "frontend/import/Degrees.h"

using namespace dpl::imports;

const char* dpl::imports::undivided(std::uint64_t processes, llvm::ArrayRef<Degree> degrees,
                                    llvm::function_ref<bool(const char*)> isWritten) {
  const Degree* largest = nullptr;
  for (const Degree& degree : degrees) {
    if (!isWritten(degree.name))
      continue;
    if (degree.size == 0 || processes % degree.size != 0)
      return degree.name;
    if (!largest || degree.size > largest->size)
      largest = &degree;
  }
  return largest ? largest->name : degrees.front().name;
}

#pragma once
//===- Instances.h - What the holes of a figure's path stand for in a plan --------------------===//
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace dpl::figures {

class FigureContext;

/// One of a set: what its paths start with, and where the plan or its facts hold it.
struct Instance {
  std::string prefix; ///< "memory.rank[3]"
  std::size_t index = 0, inner = 0;
};

/// The paths of a set start alike: "memory.rank[R]".
struct InstanceSet {
  const char* pattern;
  std::vector<Instance> (*of)(const FigureContext&);
};
/// A set whose pattern begins with another's stands before it and is printed within it.
llvm::ArrayRef<InstanceSet> instanceSets();

} // namespace dpl::figures

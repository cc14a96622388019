#pragma once
//===- Instances.h - The instances of placeholders in paths of figures ------------------------===//
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace dpl::figures {

class FigureContext;

/// One instance of a set: the prefix of its paths, and its indices into the plan.
struct Instance {
  std::string prefix; ///< first part of each path: "memory.rank[3]"
  std::size_t index = 0, inner = 0;
};

/// A set of instances whose paths begin with the same pattern: "memory.rank[R]".
struct InstanceSet {
  const char* pattern;
  std::vector<Instance> (*of)(const FigureContext&);
};
/// All sets. A set whose pattern extends that of another set precedes it, and is printed inside it.
llvm::ArrayRef<InstanceSet> instanceSets();

} // namespace dpl::figures

//===- RankMemory.cpp - Memory of a device of a pipeline rank ---------------------------------===//
#include "ir/RankMemory.h"

using namespace dpl;
using namespace dpl::ir;

const RankMemory* dpl::ir::tightest(const std::vector<RankMemory>& memory) {
  const auto least =
      std::min_element(memory.begin(), memory.end(), [](const RankMemory& a, const RankMemory& b) {
        return a.headroom() < b.headroom();
      });
  return least == memory.end() ? nullptr : &*least;
}

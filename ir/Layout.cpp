//===- Layout.cpp - How: what the user asked for, nothing computed ----------------------------===//
#include "ir/Layout.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::ir;

DPL_DEFINE_SPECIAL_MEMBERS(Layout);

bool Recompute::has(Module m) const {
  return kind == RecomputeKind::Selective &&
         std::find(modules.begin(), modules.end(), m) != modules.end();
}

bool Recompute::offloads(SavedOperator op) const {
  return std::find(offloaded.begin(), offloaded.end(), op) != offloaded.end();
}

bool Recompute::keeps(SavedOperator op) const {
  return offloads(op) || std::find(saved.begin(), saved.end(), op) != saved.end();
}

unsigned Shard::stage() const {
  if (parameters == ShardAxis::Data)
    return 3;
  if (gradients == ShardAxis::Data)
    return 2;
  return optimizer == ShardAxis::Data ? 1 : 0;
}

SourceRange Layout::rangeOf(const std::string& path) const {
  std::string at = path;
  while (true) {
    if (const auto found = ranges.find(at); found != ranges.end())
      return found->second;
    if (at.empty())
      return {};
    const std::size_t dot = at.rfind('.');
    at.resize(dot == std::string::npos ? 0 : dot);
  }
}

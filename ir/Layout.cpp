//===- Layout.cpp - The layout that the user asks for; nothing is computed --------------------===//
#include "ir/Layout.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::ir;

DPL_DEFINE_SPECIAL_MEMBERS(Layout);

bool Adapters::on(AdapterModule module) const {
  return std::find(modules.begin(), modules.end(), module) != modules.end();
}

bool FineTuning::freezes(ModelPart part) const {
  return std::find(frozen.begin(), frozen.end(), part) != frozen.end();
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

std::string Lint::originOf(llvm::StringRef field) const {
  for (const LintOrigin& one : origins)
    if (one.field == field)
      return one.place;
  return "std default";
}

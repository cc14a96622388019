//===- Launch.cpp - Where and how a layout is started -----------------------------------------===//
#include "ir/Launch.h"
using namespace dpl;
using namespace dpl::ir;

std::uint64_t Launch::lastStep(std::uint64_t batch) const {
  const LaunchPhase* last = nullptr;
  for (const LaunchPhase& phase : phases) {
    if (phase.batch != batch)
      continue;
    if (last && phase.index != last->index + 1)
      return 0;
    last = &phase;
  }
  return last ? last->lastStep : 0;
}

SourceRange Launch::rangeOf(const std::string& path) const {
  for (std::string at = path; !at.empty();) {
    if (const auto found = ranges.find(at); found != ranges.end())
      return found->second;
    const std::size_t dot = at.rfind('.');
    at = dot == std::string::npos ? "" : at.substr(0, dot);
  }
  const auto block = ranges.find("launch");
  return block == ranges.end() ? SourceRange() : block->second;
}

//===- Launch.cpp - How a layout is launched --------------------------------------------------===//
#include "ir/Launch.h"
using namespace dpl;
using namespace dpl::ir;

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

//===- Locations.cpp - Source locations of the parts of a printed plan ------------------------===//
#include "ir/Locations.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {

/// Calls `ranges(name, map)` and `place(name, range)` for everything that has a location.
template <class ForRanges, class ForPlace>
void eachPlace(Plan& plan, ForRanges ranges, ForPlace place) {
  ranges("layout", plan.layout.ranges);
  place("framework", plan.framework.range);
  MeshRequest& mesh = plan.layout.mesh;
  place("mesh", mesh.range);
  for (std::vector<AxisRequest>* grid : {&mesh.axes, &mesh.experts})
    for (AxisRequest& axis : *grid)
      place(fmt::format("axis {}", name(axis.axis)), axis.range);
  for (std::size_t i = 0; i < plan.assertions.size(); ++i)
    place(fmt::format("assertion {}", i), plan.assertions[i].range);
  for (std::size_t i = 0; i < plan.launches.size(); ++i)
    ranges(fmt::format("launch {}", i), plan.launches[i].ranges);
}

} // namespace

Locations ir::locationsOf(const Plan& plan, const SourceManager& sources) {
  Locations all;
  const auto place = [&](const std::string& of, const SourceRange& range) {
    if (!range.valid())
      return;
    const std::string file = sources.name(range.file).str();
    auto found = llvm::find(all.files, file);
    if (found == all.files.end())
      found = all.files.insert(found, file);
    all.places.push_back(
        {of, static_cast<std::uint64_t>(found - all.files.begin()), range.begin, range.end});
  };
  const auto ranges = [&](const std::string& of, const FieldRanges& map) {
    for (const auto& [path, range] : map)
      place(of + ":" + path, range);
  };
  // One function serves both directions; this use changes nothing.
  eachPlace(const_cast<Plan&>(plan), ranges, place);
  return all;
}

void ir::locate(Plan& plan, const Locations& locations, llvm::ArrayRef<std::uint32_t> files,
                const SourceManager& sources) {
  FieldRanges known;
  for (const Location& at : locations.places)
    if (at.file < files.size() && files[at.file] != 0 && at.begin <= at.end &&
        at.end <= sources.text(files[at.file]).size())
      known[at.of] = {files[at.file], static_cast<std::uint32_t>(at.begin),
                      static_cast<std::uint32_t>(at.end)};
  const auto place = [&](const std::string& of, SourceRange& range) {
    if (const auto found = known.find(of); found != known.end())
      range = found->second;
  };
  const auto ranges = [&](const std::string& of, FieldRanges& map) {
    const std::string prefix = of + ":";
    for (auto at = known.lower_bound(prefix);
         at != known.end() && at->first.compare(0, prefix.size(), prefix) == 0; ++at)
      map[at->first.substr(prefix.size())] = at->second;
  };
  eachPlace(plan, ranges, place);
}

//===- Exposure.cpp - Time of a step that communication causes --------------------------------===//
#include "cost/step/Exposure.h"
#include "cost/step/CollectiveChoice.h"
#include "cost/step/CollectiveEnds.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using ir::Collective;

Exposure::Exposure(const ir::Plan& plan)
    : plan(plan), step(plan), whole(cost::endOfSchedule(plan)) {}

double Exposure::without(llvm::function_ref<bool(const Collective&)> takesNoTime) {
  if (std::none_of(plan.collectives.begin(), plan.collectives.end(), takesNoTime))
    return 0;
  const std::uint64_t less = step.run([&](const Collective& c) { return !takesNoTime(c); });
  return ir::toSeconds(whole - std::min(less, whole));
}

double Exposure::all() {
  return without([](const Collective&) { return true; });
}

double Exposure::along(llvm::StringRef axis) {
  return without([&](const Collective& c) { return axis == axisOf(c.purpose); });
}

std::pair<const char*, double> Exposure::most() {
  std::pair<const char*, double> found{"", -1};
  for (const char* axis : exposedAxes())
    if (const double seconds = along(axis); seconds > found.second)
      found = {axis, seconds};
  return found;
}

double Exposure::of(const Traffic& row) {
  return without([&](const Collective& c) {
    return c.purpose == row.purpose && c.kind == row.kind && c.group == row.group;
  });
}

std::optional<std::size_t> Exposure::linkThatBounds(const Collective& c) {
  const auto [at, isNew] =
      links.insert({{c.kind, c.group.index(), c.bytes, c.time}, std::optional<std::size_t>()});
  if (!isNew || c.bytes == 0 || plan.groups[c.group].size < 2)
    return at->second;
  const CollectiveEnds ends = endsOf(plan, c);
  const ChoicePoint point = choiceAt(
      {plan.cluster, c.kind, ends.inside, ends.levels, ends.nodeTypes, ends.torus, ends.order},
      c.bytes);
  if (point.busy >= 0.5)
    at->second = point.link;
  return at->second;
}

double Exposure::boundBy(std::optional<std::size_t> link) {
  return without([&](const Collective& c) { return linkThatBounds(c) == link; });
}

llvm::ArrayRef<const char*> cost::exposedAxes() {
  static constexpr const char* axes[] = {"tensor", "context", "expert", "pipeline", "data"};
  return axes;
}

//===- DataRanks.cpp - Synchronization of data ranks ------------------------------------------===//
#include "ir/DataRanks.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

std::string ir::whyAlone(const Cluster& cluster, Level level) {
  const bool stated =
      level == Level::Gpu || level == Level::Node || level == Level::Domain ||
      llvm::any_of(cluster.levels, [&](const LinkLevel& each) { return each.level == level; });
  if (!stated)
    return fmt::format("cluster `{}` has no {}", cluster.name, name(level));
  return cluster.devicesIn(level) < 2 ? fmt::format("a {} has only one device", name(level)) : "";
}

std::string ir::whyNoUnits(const Plan& plan, Level level) {
  if (const std::string why = whyAlone(plan.cluster, level); !why.empty())
    return why;
  if (plan.cluster.devicesIn(level) >= plan.mesh.dataRanks())
    return fmt::format("one {} holds all data ranks", name(level));
  return "";
}

std::string ir::whyNotCoupled(const Plan& plan, SynchronizationKind waiting) {
  if (waiting == SynchronizationKind::Barrier)
    return "";
  if (!plan.layout.dataRanks.empty() &&
      plan.layout.dataRanks.front().throttling != ThrottlingKind::None)
    return fmt::format("`throttling` delays ranks that would reach a barrier early, found "
                       "`synchronization = {}`",
                       name(waiting));
  if (!plan.cluster.coupling.empty())
    return fmt::format("`interference` is simulated for steps that end with a barrier, found "
                       "`synchronization = {}`",
                       name(waiting));
  return "";
}

//===- StepLoading.cpp - Loading of samples in simulated steps --------------------------------===//
#include "simulate/plan/StepLoading.h"
#include "cost/step/Loading.h"
#include "ir/Arithmetic.h"
#include "simulate/plan/Noise.h"
#include <algorithm>
#include <set>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

namespace {
/// Offset of the random numbers, which separates them from those of devices.
constexpr std::uint32_t ofLoading = (std::uint32_t{1} << 31) - 1;

/// The data rank of a device, counted over replicas.
std::uint32_t dataRankOf(const Mesh& mesh, std::uint64_t device) {
  std::uint64_t out = 0;
  for (const MeshAxis& axis : mesh.axes)
    if (axis.axis == Axis::Replica || axis.axis == Axis::Data)
      out = out * axis.size + device / axis.stride % axis.size;
  return static_cast<std::uint32_t>(out);
}
} // namespace

std::uint64_t dpl::simulation::steadyLoading(const Plan& plan, std::uint64_t step) {
  const std::uint64_t loads = toPicoseconds(cost::loadingOf(plan).step());
  return loads > step ? loads - step : 0;
}

LoadingSimulation::LoadingSimulation(const StepShape& shape, std::uint64_t alone,
                                     std::uint64_t seed) {
  const Plan& plan = shape.plan;
  const Loading& loading = plan.cluster.loading.front();
  const cost::LoadingTimes all = cost::loadingOf(plan);
  const bool folded = shape.detail == Detail::Folded;
  simulate::LoaderShape of;
  of.loaders = folded ? 1 : static_cast<std::uint32_t>(plan.mesh.dataRanks());
  of.depth = loading.prefetch;
  // The unit of work is a tick of reading, so the storage does one per tick.
  of.work = all.read / picosecond / tick / of.loaders, of.storage = 1;
  const simulate::Distribution over = distributionOf(loading.jitter);
  const double prepared = all.prepared / picosecond;
  loaders.emplace(of, [=](std::uint32_t loader, std::uint32_t step) {
    simulate::Draws draws({seed, ofLoading, loader, step});
    return drawnTime(prepared, over, draws) / tick;
  });
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit) {
    std::set<std::uint32_t> ranks;
    for (const std::uint32_t device : shape.devicesOf(unit))
      ranks.insert(dataRankOf(plan.mesh, device));
    loadersOf.emplace_back(ranks.begin(), ranks.end());
    if (folded)
      loadersOf.back() = {0};
  }
  waits.resize(shape.simulatedRanks());
  // Begins with as many ready steps as there are in the long run.
  passed(steadyLoading(plan, alone) > 0 ? alone : alone * loading.prefetch);
}

llvm::ArrayRef<std::uint64_t> LoadingSimulation::next() {
  const llvm::ArrayRef<std::uint64_t> taken = loaders->next(now);
  std::fill(waits.begin(), waits.end(), 0);
  for (std::size_t unit = 0; unit < waits.size(); ++unit)
    for (const std::uint32_t loader : loadersOf[unit])
      waits[unit] = std::max(waits[unit], (taken[loader] - now) * tick);
  return waits;
}

//===- LinkRates.cpp - Random rates of network links during a step ----------------------------===//
#include "simulate/plan/LinkRates.h"
#include "ir/Arithmetic.h"
#include "simulate/plan/Noise.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::simulation;
using ir::real;

namespace {
/// Offset of the random numbers, which separates them from those of devices (offset 0).
constexpr std::uint32_t ofRates = std::uint32_t{1} << 28;

double timeOfCollectives(const ir::Plan& plan) {
  double all = 1;
  for (const ir::Collective& c : plan.collectives)
    all += real(c.time) * real(c.count);
  return all;
}
} // namespace

bool LinkRates::has(const ir::Plan& plan) {
  return !plan.cluster.linkJitter.empty() && plan.cluster.linkJitter.front().jitter.varies() &&
         !plan.collectives.empty() && plan.cluster.levels.size() > 1;
}

double LinkRates::drawsOf(const ir::Plan& plan, const StepLinks& links, double step) {
  const std::uint64_t every = plan.cluster.linkJitter.front().every;
  return real(links.capacities().size()) * (every > 0 ? 1 + step / real(every) : 1);
}

LinkRates::LinkRates(const ir::Plan& plan, const StepLinks& links)
    : of(plan.cluster.linkJitter.front()), links(links), over(distributionOf(of.jitter)),
      most(std::max(1.0, 0x1p58 / timeOfCollectives(plan))) {}

void LinkRates::begin(std::uint64_t ofSeed, std::uint32_t ofStep) {
  seed = ofSeed, step = ofStep, changes = 0;
}

void LinkRates::change(simulate::Flows& flows, std::uint64_t now) {
  const llvm::ArrayRef<double> nominal = links.capacities();
  for (std::uint32_t link = links.firstOfNetwork(); link < nominal.size(); ++link) {
    simulate::Draws draws({seed, ofRates + changes, link, step});
    flows.setCapacity(link, nominal[link] / std::min(most, over.sample(draws)), now);
  }
  ++changes;
}

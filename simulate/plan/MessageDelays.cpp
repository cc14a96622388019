//===- MessageDelays.cpp - Random delays of the messages of a step ----------------------------===//
#include "simulate/plan/MessageDelays.h"
#include "simulate/plan/Noise.h"

using namespace dpl;
using namespace dpl::simulation;

namespace {
/// Offset of the random numbers, which separates them from those of devices (offset 0).
constexpr std::uint32_t ofDelays = std::uint32_t{1} << 30;
} // namespace

MessageDelays::MessageDelays(const ir::MessageDelay& of, std::size_t devices)
    : mean(static_cast<double>(of.mean)), over(distributionOf(of.jitter)), sent(devices) {}

void MessageDelays::begin(std::uint64_t ofSeed, std::uint32_t ofStep) {
  seed = ofSeed, step = ofStep;
  std::fill(sent.begin(), sent.end(), 0);
}

std::uint64_t MessageDelays::next(std::uint32_t device) {
  simulate::Draws draws({seed, ofDelays + sent[device]++, device, step});
  return drawnTime(mean, over, draws);
}

//===- Compressor.cpp - Gradient compression: top-k and quantization --------------------------===//
#include "simulate/converge/Compressor.h"
#include "support/math/Random.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace dpl::converge;
using dpl::simulate::Draws;

double dpl::converge::normOf(llvm::ArrayRef<double> x) {
  double squared = 0;
  for (const double each : x)
    squared += each * each;
  return std::sqrt(squared);
}

double Compressor::keptNorm() const { return normOf(kept); }

std::size_t Compressor::sent() const {
  // The product may be slightly above 100 for a density of 0.1 and 1000 entries, of which 100 are
  // sent.
  const auto entries = std::ceil(how.density * static_cast<double>(order.size()) - 1e-9);
  return std::clamp<std::size_t>(static_cast<std::size_t>(entries), 1, order.size());
}

void Compressor::compress(Vector& gradient, std::uint64_t update) {
  if (how.kind == CompressorKind::None)
    return;
  for (std::size_t i = 0; i < kept.size(); ++i)
    gradient[i] += kept[i];
  kept.assign(kept.size(), 0);
  if (!kept.empty())
    kept = gradient;
  switch (how.kind) {
  case CompressorKind::TopK:
    keepLargest(gradient);
    break;
  case CompressorKind::Quantized:
    quantize(gradient, update);
    break;
  case CompressorKind::None:
    break;
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    kept[i] -= gradient[i];
}

void Compressor::keepLargest(Vector& gradient) {
  std::iota(order.begin(), order.end(), 0U);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(sent());
  if (middle == order.end())
    return;
  std::nth_element(order.begin(), middle, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double first = std::fabs(gradient[a]), second = std::fabs(gradient[b]);
    return first != second ? first > second : a < b;
  });
  std::for_each(middle, order.end(), [&](std::uint32_t i) { gradient[i] = 0; });
}

void Compressor::quantize(Vector& gradient, std::uint64_t update) const {
  Draws draws({method.seed, drawsOfDescent, RoundingDraws, static_cast<std::uint32_t>(update)});
  const double levels = std::max(1.0, std::ldexp(1, static_cast<int>(how.bits) - 1) - 1);
  for (std::size_t first = 0; first < gradient.size(); first += how.block) {
    const std::size_t end = std::min<std::size_t>(first + how.block, gradient.size());
    double largest = 0;
    for (std::size_t i = first; i < end; ++i)
      largest = std::max(largest, std::fabs(gradient[i]));
    const double mean =
        std::accumulate(gradient.begin() + static_cast<std::ptrdiff_t>(first),
                        gradient.begin() + static_cast<std::ptrdiff_t>(end), 0.0,
                        [](double sum, double each) { return sum + std::fabs(each); }) /
        static_cast<double>(end - first);
    for (std::size_t i = first; largest > 0 && i < end; ++i) {
      const double scaled = gradient[i] / largest * levels;
      if (how.bits == 1) {
        gradient[i] = !kept.empty() ? std::copysign(mean, gradient[i])
                                    : std::copysign(largest, draws.uniform() - (1 - scaled) / 2);
        continue;
      }
      // With error feedback entries are rounded to the nearest level. Without it they are rounded
      // up or down at random, so that the mean is unbiased.
      gradient[i] = std::floor(scaled + (kept.empty() ? draws.uniform() : 0.5)) * largest / levels;
    }
  }
}

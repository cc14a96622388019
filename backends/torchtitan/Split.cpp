//===- Split.cpp - Options that make torchtitan place layers as the plan does -----------------===//
#include "backends/torchtitan/Split.h"

using namespace dpl;
using namespace dpl::torchtitan;

std::optional<std::vector<std::uint64_t>> dpl::torchtitan::spread(std::uint64_t stages,
                                                                  std::uint64_t layers,
                                                                  std::uint64_t first,
                                                                  std::uint64_t last) {
  const std::uint64_t total = layers + first + last, each = total / stages;
  if (each == 0 || first > each || last > each)
    return std::nullopt;
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < stages; ++i)
    out.push_back(each + (i < total % stages));
  out.front() -= first;
  out.back() -= last;
  return out;
}

TorchtitanSplit dpl::torchtitan::splitOf(const TorchtitanLayout& s) {
  std::vector<std::uint64_t> planned;
  for (const ir::Chunk& chunk : s.plan.chunks)
    planned.push_back(chunk.layers);
  const std::uint64_t stages = planned.size(), layers = s.plan.model.layers();
  const std::uint64_t usual = s.pipeline * (s.chunks > 1 ? 2 : 1); // torchtitan's default number of
                                                                   // stages
  TorchtitanSplit out;
  constexpr std::pair<std::uint64_t, std::uint64_t> weights[] = {{1, 1}, {0, 0}, {1, 0}, {0, 1},
                                                                 {2, 2}, {2, 1}, {1, 2}};
  for (const auto& [first, last] : weights) {
    if (spread(stages, layers, first, last) != planned)
      continue;
    out.first = first, out.last = last;
    if (stages == usual)
      return out;
    // torchtitan computes the number of stages from the layers per stage, which cannot give every
    // number of stages.
    out.layersPerStage = ir::ceilDiv(layers + first + last, stages);
    if (ir::ceilDiv(layers + first + last, out.layersPerStage) == stages)
      return out;
  }
  return {1, 1, 0, true};
}

//===- Partition.cpp - PipelineModule's placement of layers on stages -------------------------===//
#include "backends/deepspeed/Partition.h"
#include <algorithm>
#include <limits>
#include <numeric>

using namespace dpl;
using namespace dpl::deepspeed;

StageStarts dpl::deepspeed::partitionUniform(std::uint64_t items, std::uint64_t parts) {
  StageStarts out;
  const std::uint64_t size = items / parts, more = items % parts;
  for (std::uint64_t i = 0; i <= parts; ++i)
    out.push_back(items <= parts ? std::min(i, items) : i * size + std::min(i, more));
  return out;
}

StageStarts dpl::deepspeed::partitionBalanced(const std::vector<std::uint64_t>& weights,
                                              std::uint64_t parts) {
  const std::size_t n = weights.size(), m = parts;
  if (n <= m)
    return partitionUniform(n, m);
  constexpr double unreached = std::numeric_limits<double>::infinity();
  struct Best {
    double heaviest = unreached, lightest = unreached, difference = unreached;
    std::size_t from = 0;
  };
  std::vector<double> sums(n + 1, 0);
  std::partial_sum(weights.begin(), weights.end(), sums.begin() + 1);
  std::vector<Best> best((n + 1) * (m + 1)); // best split of the first i items into j stages
  const auto at = [&](std::size_t i, std::size_t j) -> Best& { return best[i * (m + 1) + j]; };
  at(0, 0).heaviest = at(0, 0).difference = 0;
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= std::min(i, m); ++j)
      for (std::size_t k = 0; k < i; ++k) {
        const double last = sums[i] - sums[k];
        const double heaviest = std::max(at(k, j - 1).heaviest, last);
        const double lightest = std::min(at(k, j - 1).lightest, last);
        if (at(i, j).difference >= heaviest - lightest)
          at(i, j) = {heaviest, lightest, heaviest - lightest, k};
      }
  StageStarts out{n};
  for (std::size_t j = m; j > 0; --j)
    out.push_back(at(out.back(), j).from);
  std::reverse(out.begin(), out.end());
  return out;
}

StageStarts dpl::deepspeed::partsOf(const ir::Plan& plan) {
  StageStarts out{0};
  for (const ir::Chunk& c : plan.chunks)
    out.push_back(out.back() + c.layers + (c.embedding ? 1 : 0) + (c.head ? 1 : 0));
  return out;
}

const char* dpl::deepspeed::partitionMethodOf(const ir::Plan& plan) {
  const StageStarts wanted = partsOf(plan);
  const std::uint64_t stages = plan.chunks.size();
  std::vector<std::uint64_t> weights;
  for (const ir::Chunk& c : plan.chunks) {
    if (c.embedding != (&c == &plan.chunks.front() && !plan.model.isLayerList()) ||
        c.head != (&c == &plan.chunks.back() && !plan.model.isLayerList()))
      return nullptr;
    weights.insert(weights.end(), c.embedding ? 1 : 0, 0);
    weights.insert(weights.end(), c.layers, 1);
    weights.insert(weights.end(), c.head ? 1 : 0, 0);
  }
  if (!plan.model.isLayerList() && partitionBalanced(weights, stages) == wanted)
    return "type:transformer";
  return partitionUniform(weights.size(), stages) == wanted ? "uniform" : nullptr;
}

//===- StageWords.cpp - Phrases that reports and messages share -------------------------------===//
#include "cost/step/StageWords.h"
#include "cost/legality/Legality.h"
#include "ir/Arithmetic.h"
#include "ir/BatchUnit.h"
#include "ir/Names.h"
#include "support/Text.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;

namespace {
/// "`a = 1`, `b = 2` and `c = 3` decide it".
std::string decide(const std::vector<std::string>& fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i)
    out += (i == 0 ? "" : i + 1 < fields.size() ? ", " : " and ") + ("`" + fields[i] + "`");
  return out + (fields.size() == 1 ? " decides it" : " decide it");
}
/// The node type with the slowest GEMMs among those that hold some pipeline ranks.
struct SlowestPool {
  const ir::NodeType* pool = nullptr;
  double rate = 0; ///< FLOP/s of large GEMMs
};
SlowestPool slowestPoolOf(const ir::Plan& plan, const ir::RankNodeTypes& ranks) {
  SlowestPool out;
  for (const std::uint64_t type : ranks.nodeTypes) {
    const ir::NodeType& pool = plan.cluster.nodeTypes[type];
    const double rate = ir::real(pool.device.peakOf(plan.layout.precision.compute)) *
                        pool.device.sustainedMatmul * pool.device.speed;
    if (!out.pool || rate < out.rate)
      out = {&pool, rate};
  }
  return out;
}
} // namespace

std::string cost::slowDevicesOf(const ir::Plan& plan, std::uint64_t pipelineRank) {
  if (plan.cluster.nodeTypes.size() == 1)
    return "";
  const std::size_t index = plan.mesh.rankNodeTypesIndex(pipelineRank);
  const SlowestPool own = slowestPoolOf(plan, plan.mesh.rankNodeTypes[index]);
  double fastest = 0;
  for (const ir::RankNodeTypes& ranks : plan.mesh.rankNodeTypes)
    fastest = std::max(fastest, slowestPoolOf(plan, ranks).rate);
  constexpr double slower = 0.995; // a share that would be written as 1 says nothing
  return own.rate >= slower * fastest
             ? ""
             : fmt::format("slow devices (pool `{}`, at {:.2g} of the fastest rank's speed)",
                           own.pool->displayName(), own.rate / fastest);
}

std::string cost::stagesAndMicroBatches(const ir::Plan& plan) {
  const std::uint64_t stages = plan.placement.stages(), ranks = plan.placement.ranks;
  return fmt::format("{}{}, {}", plural(stages, "stage"),
                     stages > ranks ? " on " + plural(ranks, "rank") : "",
                     plural(plan.mesh.microBatches, "micro-batch"));
}

std::string cost::fieldsOfLaunches(const ir::Plan& plan, bool capturable) {
  const ir::Layout& layout = plan.layout;
  std::vector<std::string> fields;
  if (layout.launchBlocking)
    fields.emplace_back("launch_blocking = true");
  if (!layout.graphs && capturable)
    fields.emplace_back("cuda_graphs = false");
  fields.push_back(
      fmt::format("micro_batch = {}{}", layout.microBatch, ir::suffixOf(layout.batchUnit)));
  if (cost::hasExperts(plan.model)) {
    const ir::Kernels& kernels = layout.kernels;
    if (kernels.permutation == ir::KernelKind::Separate)
      fields.emplace_back("kernels.permutation = unfused");
    if (kernels.router == ir::KernelKind::Separate)
      fields.emplace_back("kernels.router = unfused");
  }
  return decide(fields);
}

ir::DataType cost::peakType(const ir::Plan& plan) {
  const ir::Device& device = plan.cluster.device();
  const ir::Precision& p = plan.layout.precision;
  return device.peakOf(p.head) > device.peakOf(p.compute) ? p.head : p.compute;
}

std::string cost::fieldsOfExpertCommunication(const ir::Plan& plan) {
  return decide(
      {fmt::format("kernels.token_dispatcher = {}", ir::name(plan.layout.kernels.dispatch)),
       fmt::format("overlap.experts = {}", plan.layout.overlap.experts)});
}

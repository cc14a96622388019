//===- CheckHostMemory.cpp - Host memory of offloaded tensors and of the nodes ----------------===//
#include "passes/CheckHostMemory.h"
#include "cost/step/StepTimes.h"
#include "ir/Arithmetic.h"
#include "passes/MemoryFixes.h"
#include "support/Text.h"
#include "support/diagnostics/Cost.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::ir;

namespace {
std::string partsOf(const cost::FullestNode& node, const std::vector<cost::OffloadedBytes>& of) {
  cost::OffloadedBytes sum;
  std::uint64_t devices = 0;
  for (const cost::FullestNode::Share& share : node.shares) {
    const cost::OffloadedBytes& each = of[share.rank];
    devices += share.devices;
    sum.optimizer += share.devices * each.optimizer,
        sum.gradients += share.devices * each.gradients;
    sum.parameters += share.devices * each.parameters;
    sum.activations += share.devices * each.activations;
  }
  return fmt::format("{}, of {}",
                     breakdownOf({{sum.optimizer, "optimizer state"},
                                  {sum.gradients, "gradients"},
                                  {sum.parameters, "parameters"},
                                  {sum.activations, "activations"}}),
                     plural(devices, "device"));
}

/// Help with changes that offload less and fit; without any, with the host memory that a node
/// needs.
std::string adviceFor(const Plan& plan, const cost::FullestNode& node, const AcceptsPlan& takes) {
  constexpr std::size_t most = 3;
  std::vector<MemoryOutcome> found = hostMemoryFixes(plan, takes).found;
  found.resize(std::min(found.size(), most));
  const double before = cost::stepTimes(plan).step;
  std::string text;
  for (const MemoryOutcome& o : found) {
    const std::string host = o.host ? fmt::format("{} of a node{} and ", gib(o.host->needed),
                                                  freeWords(plan, o.host->free()))
                                    : "";
    text += fmt::format("{}{} takes {}{} of a device{}, in {}", text.empty() ? "" : "; ", o.text,
                        host, gib(o.tightest.peak()), freeWords(plan, o.free()),
                        timeOverStep(o.step, before));
  }
  const double enough = real(node.needed) / (1 - plan.lint.headroom);
  const double gibibytes = std::ceil(enough / real(std::uint64_t{1} << 30));
  return text.empty()
             ? fmt::format("set `node.memory` to at least {:.0f}GiB, or use more nodes if `shard` "
                           "divides the state over them",
                           gibibytes)
             : text;
}
} // namespace

std::string dpl::freeWords(const Plan& plan, double free) {
  return free < plan.lint.headroom ? fmt::format(" with {:.1f} % free", 100 * free) : "";
}

std::string dpl::gib(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", real(bytes) / real(std::uint64_t{1} << 30));
}

std::string dpl::timeOverStep(double step, double before) {
  const double more = 100 * (step / before - 1);
  return std::abs(more) < 0.5
             ? "the same time"
             : fmt::format("{:.0f} % {} time", std::abs(more), more > 0 ? "more" : "less");
}

std::string dpl::breakdownOf(std::vector<std::pair<std::uint64_t, const char*>> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [bytes, what] : parts)
    if (bytes > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : " + ", gib(bytes), what);
  return text;
}

LogicalResult dpl::checkHostMemory(const Plan& plan, const PipelineOptions& options,
                                   DiagnosticEngine& diags) {
  const std::vector<cost::OffloadedBytes> offloaded = cost::offloadedOf(plan);
  const std::optional<cost::FullestNode> node = cost::fullestNode(plan, offloaded);
  if (!node || node->needed == 0)
    return LogicalResult::success();
  const SourceRange at =
      plan.layout.rangeOf(plan.layout.offload.empty() ? "recompute.offloaded" : "offload");
  if (node->memory == 0) {
    const Cluster& cluster = plan.cluster;
    // If the cluster sets a host memory, only a node pool can lack one.
    const NodeType lacking =
        cluster.hostMemory > 0 ? cluster.nodeTypes[node->nodeType] : NodeType();
    const std::string named = "cluster `" + cluster.name + "`";
    (void)diags
        .report<diag::HostMemoryNotSet>(
            at, gib(node->needed),
            lacking.name.empty() ? named : lacking.fieldLocation() + " of " + named)
        .label(partsOf(*node, offloaded))
        .help("`node.memory = 2TiB` in " + lacking.fieldLocation() + " sets it");
    return LogicalResult::success();
  }
  if (node->fits()) {
    if (node->free() < plan.lint.headroom)
      (void)diags
          .report<diag::LittleHostHeadroom>(
              at, gib(node->memory - node->needed), gib(node->memory), node->node,
              fmt::format("{:g} %", 100 * plan.lint.headroom), plan.lint.originOf("headroom"))
          .label(partsOf(*node, offloaded))
          .help("the processes, their data loaders and the writing of a checkpoint also need host "
                "memory");
    return LogicalResult::success();
  }
  auto refused =
      diags.report<diag::HostOutOfMemory>(at, node->node, gib(node->needed), gib(node->memory))
          .label(partsOf(*node, offloaded));
  return options.advise ? std::move(refused).help(adviceFor(plan, *node, options.accepts))
                        : std::move(refused);
}

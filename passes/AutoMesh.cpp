//===- AutoMesh.cpp - `mesh = auto`: degrees in a documented finite order ---------------------===//
#include "passes/AutoMesh.h"
#include "passes/Words.h"
#include "support/diagnostics/Cost.h"
#include "support/diagnostics/Layout.h"
#include <algorithm>
#include <numeric>

using namespace dpl;
using ir::Axis;

namespace {

std::vector<std::uint64_t> divisors(std::uint64_t n) {
  std::vector<std::uint64_t> small, large;
  for (std::uint64_t d = 1; d * d <= n; ++d)
    if (n % d == 0) {
      small.push_back(d);
      if (d * d != n)
        large.push_back(n / d);
    }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

/// Greatest tensor degree of which every legal one is a divisor: it divides the heads of every
/// layer and stays inside the fast domain.
std::uint64_t tensorLimit(const ir::Plan& plan) {
  if (plan.model.isLayerList())
    return 1;
  std::uint64_t limit = std::gcd(plan.cluster.devices(), plan.cluster.devicesIn(ir::Level::Domain));
  for (const ir::LayerClass& c : plan.model.classes)
    limit = std::gcd(limit, c.attention.heads);
  return limit;
}

/// The number of experts that every expert layer's count is a multiple of; 0 without experts.
std::uint64_t expertLimit(const ir::Model& model) {
  std::uint64_t limit = 0;
  for (const ir::LayerClass& c : model.classes)
    if (c.feedForward.kind == ir::FeedForwardKind::Experts)
      limit = std::gcd(limit, c.feedForward.experts);
  return limit;
}

bool allowsPipeline(const ir::Plan& plan, std::uint64_t stages) {
  const ir::Layout& layout = plan.layout;
  const std::uint64_t layers = plan.model.layers(), pieces = stages * layout.chunks;
  if (layout.chunks > 1 && stages == 1)
    return false;
  switch (layout.split) {
  case ir::SplitKind::Even:
    return (layers + layout.embeddingSlots + layout.headSlots) % pieces == 0;
  case ir::SplitKind::Balanced:
    return pieces <= layers;
  case ir::SplitKind::Listed:
    return layout.splitLayers.size() == stages || layout.splitLayers.size() == pieces;
  }
  return false;
}

void apply(ir::Layout& layout, const MeshCandidate& c, std::uint64_t microBatch, bool experts) {
  layout.mesh.axes.clear();
  for (const auto& [axis, size] :
       {std::pair(Axis::Pipeline, c.pipeline), std::pair(Axis::Data, c.data),
        std::pair(Axis::Tensor, c.tensor)}) {
    ir::AxisRequest request;
    request.axis = axis;
    request.size = size;
    layout.mesh.axes.push_back(request);
  }
  layout.mesh.experts.clear();
  layout.mesh.hasExperts = experts;
  if (experts)
    for (const Axis axis : {Axis::ExpertData, Axis::Expert, Axis::ExpertTensor}) {
      ir::AxisRequest request;
      request.axis = axis;
      request.rest = axis == Axis::ExpertData;
      request.size = axis == Axis::ExpertData ? 0 : axis == Axis::Expert ? c.expert : 1;
      layout.mesh.experts.push_back(request);
    }
  layout.microBatch = microBatch;
}

/// What the nearest candidate lacked: it went furthest and, of those that are too large, it is the
/// smallest.
struct Nearest {
  std::size_t pass = 0;
  double memory = 0; ///< peak over usable memory; 0 when it did not get so far
  std::string name;
  std::vector<Diagnostic> said;
  bool allAlike = true; ///< every candidate failed with the same first message
};

class Search {
public:
  Search(ir::Plan& plan, DiagnosticEngine& diags, const TryPasses& tryPasses)
      : plan(plan), diags(diags), tryPasses(tryPasses), experts(expertLimit(plan.model) != 0) {}

  LogicalResult run() {
    for (const MeshCandidate& c : meshCandidates(plan)) {
      const std::vector<std::uint64_t> microBatches = microBatchCandidates(plan, c);
      // Memory grows with the micro-batch: where the smallest does not fit, none does.
      if (microBatches.empty() || !fits(c, microBatches.front(), false))
        continue;
      for (auto largest = microBatches.rbegin(); largest != microBatches.rend(); ++largest)
        if (*largest == microBatches.front() || fits(c, *largest, true)) {
          apply(plan.layout, c, *largest, experts);
          return LogicalResult::success();
        }
    }
    return refuse();
  }

private:
  /// With `headroom` a plan that leaves less than the lint threshold does not fit.
  bool fits(const MeshCandidate& c, std::uint64_t microBatch, bool headroom) {
    ir::Plan attempt = plan;
    apply(attempt.layout, c, microBatch, experts);
    DiagnosticEngine unheard;
    const std::size_t pass = tryPasses(attempt, unheard);
    std::vector<Diagnostic> said;
    bool tight = false;
    for (const Diagnostic& d : unheard.diagnostics()) {
      tight |= llvm::StringRef(d.info.code) == diag::LittleHeadroom::info.code;
      if (d.info.severity == Severity::Error)
        said.push_back(d);
    }
    if (said.empty())
      return !(headroom && tight);
    double memory = 0;
    for (const ir::RankMemory& rank : attempt.memory)
      memory =
          std::max(memory, static_cast<double>(rank.peak()) / static_cast<double>(rank.usable));
    const bool first = nearest.said.empty();
    if (!first && said.front().message != nearest.said.front().message)
      nearest.allAlike = false;
    if (first || pass > nearest.pass || (pass == nearest.pass && memory < nearest.memory)) {
      nearest.pass = pass;
      nearest.memory = memory;
      nearest.name = fmt::format("{}, micro-batch {}", c.str(experts), microBatch);
      nearest.said = std::move(said);
    }
    ++tried;
    return false;
  }

  LogicalResult refuse() {
    // What no degree can mend is the mistake itself.
    if (tried > 1 && nearest.allAlike) {
      for (Diagnostic& d : nearest.said)
        diags.issue(std::move(d));
      return LogicalResult::failure();
    }
    auto d = diags.report<diag::NoMeshFits>(plan.layout.rangeOf("mesh"), plan.cluster.devices());
    if (nearest.said.empty())
      return std::move(d).label("no degrees divide the devices, the model and the batch");
    return std::move(d)
        .label(fmt::format("{} tried", plural(tried, "candidate")))
        .note<diag::BestCandidate>(SourceRange{}, nearest.name, nearest.said.front().message);
  }

  ir::Plan& plan;
  DiagnosticEngine& diags;
  const TryPasses& tryPasses;
  bool experts;
  Nearest nearest;
  std::size_t tried = 0;
};

} // namespace

std::string MeshCandidate::str(bool withExperts) const {
  std::string text = fmt::format("tensor {} × pipeline {} × data {}", tensor, pipeline, data);
  if (withExperts)
    text += fmt::format(" with expert {}", expert);
  return text;
}

std::vector<MeshCandidate> dpl::meshCandidates(const ir::Plan& plan) {
  std::vector<MeshCandidate> all;
  const std::uint64_t devices = plan.cluster.devices(), experts = expertLimit(plan.model);
  for (const std::uint64_t tensor : divisors(tensorLimit(plan)))
    for (const std::uint64_t pipeline : divisors(devices / tensor)) {
      const std::uint64_t data = devices / tensor / pipeline;
      if (!allowsPipeline(plan, pipeline) || plan.layout.batch % data != 0)
        continue;
      for (const std::uint64_t expert :
           divisors(std::gcd(std::max<std::uint64_t>(experts, 1), data * tensor)))
        all.push_back({tensor, pipeline, data, expert});
    }
  return all;
}

std::vector<std::uint64_t> dpl::microBatchCandidates(const ir::Plan& plan, const MeshCandidate& c) {
  const std::uint64_t share = plan.layout.batch / c.data;
  if (plan.layout.microBatchGiven)
    return share % plan.layout.microBatch == 0 ? std::vector{plan.layout.microBatch}
                                               : std::vector<std::uint64_t>{};
  std::vector<std::uint64_t> all;
  for (std::uint64_t size = 1; size <= share && share % size == 0; size *= 2)
    if (size == 1 || c.pipeline == 1 || share / size >= 4 * c.pipeline)
      all.push_back(size);
  return all;
}

LogicalResult dpl::findMesh(ir::Plan& plan, DiagnosticEngine& diags, const TryPasses& tryPasses) {
  return Search(plan, diags, tryPasses).run();
}

//===- MeshSpace.cpp - The candidates of `mesh = auto` ----------------------------------------===//
#include "planner/MeshSpace.h"
#include "cost/legality/Legality.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

using namespace dpl;
using namespace dpl::planner;
using cost::LayoutCandidate;
using ir::Axis;

namespace {

using Sizes = std::vector<std::uint32_t>;

/// Divisors of n up to `most`, in increasing order.
Sizes divisors(std::uint64_t n, std::uint64_t most = UINT32_MAX) {
  Sizes all;
  for (std::uint64_t d = 1; d * d <= n; ++d)
    if (n % d == 0) {
      all.push_back(static_cast<std::uint32_t>(d));
      if (d * d != n && n / d <= UINT32_MAX)
        all.push_back(static_cast<std::uint32_t>(n / d));
    }
  std::sort(all.begin(), all.end());
  all.erase(std::upper_bound(all.begin(), all.end(), most), all.end());
  return all;
}

class CandidateEnumerator {
public:
  CandidateEnumerator(const ir::Plan& plan, llvm::ArrayRef<OpenChoice> choices)
      : plan(plan), layout(plan.layout), choices(choices), all(legalityInputsOf(plan, choices)),
        legality(all.front()), devices(legality.devices),
        domain(plan.cluster.devicesIn(ir::Level::Domain)), pipelines(divisors(devices)) {
    for (std::size_t i = 0; i < choices.size(); ++i)
      if (choices[i].dealt == i)
        dealt.push_back(i);
    llvm::erase_if(pipelines, [&](std::uint32_t stages) {
      return llvm::none_of(dealt, [&](std::size_t choice) {
        return cost::brokenBySplit(all[choice], stages) == cost::LegalityRule::None;
      });
    });
  }

  std::vector<LayoutCandidate> run() {
    for (const std::uint32_t tensor : divisors(std::gcd(devices, domain)))
      for (const std::uint32_t context : divisors(devices / tensor))
        for (const bool sequence : sequences(tensor)) {
          LayoutCandidate candidate;
          candidate.tensor = tensor, candidate.context = context,
          candidate.sequenceParallel = sequence;
          addExperts(candidate);
        }
    return std::move(candidates);
  }

private:
  /// The values of sequence parallelism, off and on. If the file requests it, it is on only with
  /// tensor ranks.
  llvm::SmallVector<bool, 2> sequences(std::uint32_t tensor) const {
    const bool written = layout.shard.sequence == ir::ShardAxis::Tensor;
    const bool splits = cost::legal::sequenceParallelTensor(tensor);
    if (!layout.shard.sequenceGiven)
      return splits ? llvm::SmallVector<bool, 2>{false, true} : llvm::SmallVector<bool, 2>{false};
    if (written && !splits)
      return {};
    return {written};
  }

  /// The greatest common divisor of the layers' numbers of experts; 0 without experts.
  std::uint64_t expertLimit() const {
    std::uint64_t limit = 0;
    for (const cost::LegalityInputs::LegalityLayer& c : legality.layerTypes)
      limit = std::gcd(limit, c.experts);
    return limit;
  }

  void addExperts(LayoutCandidate candidate) {
    if (!legality.experts)
      return addMicroBatches(candidate);
    const std::uint64_t most = std::gcd(expertLimit(), devices);
    // Experts are whole, or divided over tensor ranks like the other layers.
    for (const std::uint32_t expertTensor :
         candidate.tensor > 1 ? Sizes{1, candidate.tensor} : Sizes{1}) {
      candidate.expertTensor = expertTensor;
      for (const std::uint32_t expert : divisors(most)) {
        candidate.expert = expert;
        addMicroBatches(candidate);
      }
    }
  }

  void addMicroBatches(LayoutCandidate candidate) {
    if (cost::brokenByLayers(legality, candidate) != cost::LegalityRule::None)
      return;
    if (layout.microBatchGiven) {
      candidate.microBatch = layout.microBatch;
      return addPipelines(candidate);
    }
    for (std::uint64_t size = 1; size <= layout.batch && layout.batch % size == 0; size *= 2) {
      candidate.microBatch = size;
      addPipelines(candidate);
    }
  }

  void addPipelines(LayoutCandidate candidate) {
    const std::uint64_t left = devices / candidate.tensor / candidate.context;
    for (const std::uint32_t pipeline : pipelines) {
      if (left % pipeline != 0)
        continue;
      candidate.pipeline = pipeline;
      candidate.data = static_cast<std::uint32_t>(left / pipeline);
      if (llvm::any_of(dealt, [&](std::size_t choice) {
            return isLegal(plan, all[choice], choices[choice], candidate);
          }))
        candidates.push_back(candidate);
    }
  }

  const ir::Plan& plan;
  const ir::Layout& layout;
  const llvm::ArrayRef<OpenChoice> choices;
  const std::vector<cost::LegalityInputs> all; ///< facts about each choice
  const cost::LegalityInputs& legality; ///< facts about the first choice that all choices share
  std::uint64_t devices, domain;
  llvm::SmallVector<std::size_t> dealt; ///< the first choice of each schedule and split
  Sizes pipelines;
  std::vector<LayoutCandidate> candidates;
};

ir::AxisRequest request(Axis axis, std::uint64_t size) {
  ir::AxisRequest r;
  r.axis = axis;
  r.size = size;
  return r;
}

} // namespace

std::vector<LayoutCandidate> dpl::planner::meshSpace(const ir::Plan& plan) {
  return meshSpace(plan, OpenChoice(plan.layout));
}
std::vector<LayoutCandidate> dpl::planner::meshSpace(const ir::Plan& plan,
                                                     llvm::ArrayRef<OpenChoice> choices) {
  return CandidateEnumerator(plan, choices).run();
}

std::vector<cost::LegalityInputs>
dpl::planner::legalityInputsOf(const ir::Plan& plan, llvm::ArrayRef<OpenChoice> choices) {
  std::vector<cost::LegalityInputs> all;
  ir::Layout layout = plan.layout;
  for (const OpenChoice& choice : choices) {
    choice.write(layout);
    all.emplace_back(plan.model, plan.cluster, layout);
    all.back().splitLayers =
        plan.layout.splitLayers; // lists of the plan itself, which outlive the copy
    all.back().schedule.customSchedule = plan.layout.customScheduleOrNull();
  }
  return all;
}

bool dpl::planner::isLegal(const ir::Plan& plan, const cost::LegalityInputs& facts,
                           const OpenChoice& choice, const LayoutCandidate& candidate) {
  const bool isOther =
      choice.schedule != plan.layout.schedule || choice.chunks != plan.layout.chunks;
  // The search leaves out batches that data ranks would have to share unequally.
  return cost::brokenRule(facts, candidate) == cost::LegalityRule::None &&
         plan.layout.batch % (candidate.microBatch * candidate.dataRanks()) == 0 &&
         (!isOther ||
          searchesSchedule(candidate.pipeline,
                           plan.layout.batch / (candidate.microBatch * candidate.dataRanks())));
}

void dpl::planner::writeCandidate(const LayoutCandidate& candidate, ir::Layout& layout,
                                  bool experts) {
  layout.mesh.axes = {
      request(Axis::Pipeline, candidate.pipeline), request(Axis::Data, candidate.data),
      request(Axis::Context, candidate.context), request(Axis::Tensor, candidate.tensor)};
  layout.mesh.hasExperts = experts;
  layout.mesh.experts.clear();
  if (experts) {
    layout.mesh.experts = {request(Axis::ExpertData, 0), request(Axis::Expert, candidate.expert),
                           request(Axis::ExpertTensor, candidate.expertTensor)};
    layout.mesh.experts.front().rest = true;
  }
  layout.microBatch = candidate.microBatch;
  if (!layout.shard.sequenceGiven)
    layout.shard.sequence =
        candidate.sequenceParallel ? ir::ShardAxis::Tensor : ir::ShardAxis::None;
}

std::string dpl::planner::textOf(const LayoutCandidate& candidate, bool experts) {
  std::string text = fmt::format("tensor {} × pipeline {} × data {}", candidate.tensor,
                                 candidate.pipeline, candidate.data);
  if (candidate.context > 1)
    text += fmt::format(" × context {}", candidate.context);
  if (experts)
    text += fmt::format(" with expert {}", candidate.expert);
  if (candidate.expertTensor > 1)
    text += fmt::format(" × tensor {}", candidate.expertTensor);
  text += fmt::format(", micro-batch {}", candidate.microBatch);
  return candidate.sequenceParallel ? text + ", sequence over tensor" : text;
}

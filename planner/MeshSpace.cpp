//===- MeshSpace.cpp - The layouts that `mesh = auto` chooses from ----------------------------===//
#include "planner/MeshSpace.h"
#include "cost/legality/Legality.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

using namespace dpl;
using namespace dpl::planner;
using cost::Point;
using ir::Axis;

namespace {

using Sizes = std::vector<std::uint32_t>;

/// Divisors of n up to `most`, rising.
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

class Space {
public:
  Space(const ir::Plan& plan, llvm::ArrayRef<OpenChoice> choices)
      : plan(plan), layout(plan.layout), choices(choices), all(factsOf(plan, choices)),
        facts(all.front()), devices(facts.devices),
        domain(plan.cluster.devicesIn(ir::Level::Domain)), pipelines(divisors(devices)) {
    for (std::size_t i = 0; i < choices.size(); ++i)
      if (choices[i].dealt == i)
        dealt.push_back(i);
    llvm::erase_if(pipelines, [&](std::uint32_t stages) {
      return llvm::none_of(dealt, [&](std::size_t choice) {
        return cost::brokenBySplit(all[choice], stages) == cost::Rule::None;
      });
    });
  }

  std::vector<Point> run() {
    for (const std::uint32_t tensor : divisors(std::gcd(devices, domain)))
      for (const std::uint32_t context : divisors(devices / tensor))
        for (const bool sequence : sequences(tensor)) {
          Point point;
          point.tensor = tensor, point.context = context, point.sequenceParallel = sequence;
          addExperts(point);
        }
    return std::move(points);
  }

private:
  /// Of a split that the file asks for, meshes that have something to split over.
  llvm::SmallVector<bool, 2> sequences(std::uint32_t tensor) const {
    const bool written = layout.shard.sequence == ir::ShardAxis::Tensor;
    const bool splits = cost::legal::sequenceParallelTensor(tensor);
    if (!layout.shard.sequenceGiven)
      return splits ? llvm::SmallVector<bool, 2>{false, true} : llvm::SmallVector<bool, 2>{false};
    if (written && !splits)
      return {};
    return {written};
  }

  /// Most experts of a layer that every expert layer's count is a multiple of; 0 without experts.
  std::uint64_t expertLimit() const {
    std::uint64_t limit = 0;
    for (const cost::LegalityFacts::Layer& c : facts.classes)
      limit = std::gcd(limit, c.experts);
    return limit;
  }

  void addExperts(Point point) {
    if (!facts.experts)
      return addMicroBatches(point);
    const std::uint64_t most = std::gcd(expertLimit(), devices);
    // The experts are whole, or divided like the other layers.
    for (const std::uint32_t expertTensor : point.tensor > 1 ? Sizes{1, point.tensor} : Sizes{1}) {
      point.expertTensor = expertTensor;
      for (const std::uint32_t expert : divisors(most)) {
        point.expert = expert;
        addMicroBatches(point);
      }
    }
  }

  void addMicroBatches(Point point) {
    if (cost::brokenByLayers(facts, point) != cost::Rule::None)
      return;
    if (layout.microBatchGiven) {
      point.microBatch = layout.microBatch;
      return addPipelines(point);
    }
    for (std::uint64_t size = 1; size <= layout.batch && layout.batch % size == 0; size *= 2) {
      point.microBatch = size;
      addPipelines(point);
    }
  }

  void addPipelines(Point point) {
    const std::uint64_t left = devices / point.tensor / point.context;
    for (const std::uint32_t pipeline : pipelines) {
      if (left % pipeline != 0)
        continue;
      point.pipeline = pipeline;
      point.data = static_cast<std::uint32_t>(left / pipeline);
      if (llvm::any_of(dealt, [&](std::size_t choice) {
            return isLegal(plan, all[choice], choices[choice], point);
          }))
        points.push_back(point);
    }
  }

  const ir::Plan& plan;
  const ir::Layout& layout;
  const llvm::ArrayRef<OpenChoice> choices;
  const std::vector<cost::LegalityFacts> all; ///< facts of each choice
  const cost::LegalityFacts& facts; ///< those of the first choice, for facts that all choices share
  std::uint64_t devices, domain;
  llvm::SmallVector<std::size_t> dealt; ///< the first choice of each schedule and split
  Sizes pipelines;
  std::vector<Point> points;
};

ir::AxisRequest request(Axis axis, std::uint64_t size) {
  ir::AxisRequest r;
  r.axis = axis;
  r.size = size;
  return r;
}

} // namespace

std::vector<Point> dpl::planner::meshSpace(const ir::Plan& plan) {
  return meshSpace(plan, OpenChoice(plan.layout));
}
std::vector<Point> dpl::planner::meshSpace(const ir::Plan& plan,
                                           llvm::ArrayRef<OpenChoice> choices) {
  return Space(plan, choices).run();
}

std::vector<cost::LegalityFacts> dpl::planner::factsOf(const ir::Plan& plan,
                                                       llvm::ArrayRef<OpenChoice> choices) {
  std::vector<cost::LegalityFacts> all;
  ir::Layout layout = plan.layout;
  for (const OpenChoice& choice : choices) {
    choice.write(layout);
    all.emplace_back(plan.model, plan.cluster, layout);
    all.back().list = plan.layout.splitLayers; // the plan's own list, which outlives the copy
    all.back().schedule.lists = plan.layout.lists();
  }
  return all;
}

bool dpl::planner::isLegal(const ir::Plan& plan, const cost::LegalityFacts& facts,
                           const OpenChoice& choice, const Point& point) {
  const bool isOther =
      choice.schedule != plan.layout.schedule || choice.chunks != plan.layout.chunks;
  // Batches that only unequal shares can deal are not searched.
  return cost::brokenRule(facts, point) == cost::Rule::None &&
         plan.layout.batch % (point.microBatch * point.dataRanks()) == 0 &&
         (!isOther || looksForSchedule(point.pipeline,
                                       plan.layout.batch / (point.microBatch * point.dataRanks())));
}

void dpl::planner::writePoint(const Point& point, ir::Layout& layout, bool experts) {
  layout.mesh.axes = {request(Axis::Pipeline, point.pipeline), request(Axis::Data, point.data),
                      request(Axis::Context, point.context), request(Axis::Tensor, point.tensor)};
  layout.mesh.hasExperts = experts;
  layout.mesh.experts.clear();
  if (experts) {
    layout.mesh.experts = {request(Axis::ExpertData, 0), request(Axis::Expert, point.expert),
                           request(Axis::ExpertTensor, point.expertTensor)};
    layout.mesh.experts.front().rest = true;
  }
  layout.microBatch = point.microBatch;
  if (!layout.shard.sequenceGiven)
    layout.shard.sequence = point.sequenceParallel ? ir::ShardAxis::Tensor : ir::ShardAxis::None;
}

Point dpl::planner::pointOf(const ir::Plan& plan) {
  const auto size = [&](Axis axis) { return static_cast<std::uint32_t>(plan.mesh.size(axis)); };
  Point point;
  point.replica = size(Axis::Replica), point.pipeline = size(Axis::Pipeline);
  point.data = size(Axis::Data), point.context = size(Axis::Context);
  point.tensor = size(Axis::Tensor), point.expert = size(Axis::Expert);
  point.expertTensor = size(Axis::ExpertTensor);
  point.microBatch = plan.layout.microBatch;
  point.sequenceParallel = plan.layout.shard.sequence == ir::ShardAxis::Tensor;
  return point;
}

std::string dpl::planner::textOf(const Point& point, bool experts) {
  std::string text =
      fmt::format("tensor {} × pipeline {} × data {}", point.tensor, point.pipeline, point.data);
  if (point.context > 1)
    text += fmt::format(" × context {}", point.context);
  if (experts)
    text += fmt::format(" with expert {}", point.expert);
  if (point.expertTensor > 1)
    text += fmt::format(" × tensor {}", point.expertTensor);
  text += fmt::format(", micro-batch {}", point.microBatch);
  return point.sequenceParallel ? text + ", sequence over tensor" : text;
}

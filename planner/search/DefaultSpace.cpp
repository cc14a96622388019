//===- DefaultSpace.cpp - The search space of a layout without a `search` block ---------------===//
#include "planner/search/DefaultSpace.h"
#include "cost/legality/Legality.h"
#include "ir/Arithmetic.h"
#include "ir/BatchUnit.h"
#include "ir/FoundFields.h"
#include "ir/Names.h"
#include "planner/MeshSpace.h"
#include "planner/OpenChoices.h"
#include <set>

using namespace dpl;
using namespace dpl::planner;
using cost::LayoutCandidate;
using ir::Operation;
using ir::SplitKind;

namespace {
constexpr std::uint64_t largestMicroBatch = 8;
/// Numbers of chunks above those of `schedule = auto`, because models with many layers gain from
/// them.
constexpr std::uint64_t moreChunks[] = {10, 12, 14, 16, 20};
constexpr std::uint64_t rankedLayouts = 5;

ir::AssertionNode resultNode(std::string path) {
  ir::AssertionNode out;
  out.operation = Operation::Result, out.path = std::move(path);
  return out;
}
ir::AssertionNode nameNode(std::string text) {
  ir::AssertionNode out;
  out.text = std::move(text);
  return out;
}
ir::AssertionNode numberNode(std::string number, std::string dimension = "") {
  ir::AssertionNode out;
  out.number = std::move(number), out.dimension = std::move(dimension);
  return out;
}
ir::AssertionNode operationNode(Operation operation, std::vector<std::uint64_t> operands) {
  ir::AssertionNode out;
  out.operation = operation, out.operands = std::move(operands);
  return out;
}

/// The condition `first or field == value`, where `first` also compares a field of the candidate.
ir::Assertion unless(const std::string& text, ir::AssertionNode field, Operation comparison,
                     ir::AssertionNode with, const std::string& other, const std::string& value) {
  ir::Assertion out;
  out.source = fmt::format("{} or {} == {}", text, other, value);
  out.nodes = {std::move(field),
               std::move(with),
               operationNode(comparison, {0, 1}),
               resultNode("layout." + other),
               nameNode(value),
               operationNode(Operation::Equal, {3, 4}),
               operationNode(Operation::Or, {2, 5})};
  return out;
}

class SpaceBuilder {
public:
  SpaceBuilder(const ir::Plan& given, const OpenLayoutFields& open, const SupportsSchedule& runs)
      : open(open), plan(given), runs(runs) {
    ir::Layout& layout = plan.layout;
    layout.mesh.open.recompute = open.recompute;
    layout.microBatchGiven = !open.microBatch, layout.shard.sequenceGiven = !open.sequence;
    if (open.schedule)
      layout.scheduleAutomatic = false, layout.chunks = 1,
      layout.schedule = ir::ScheduleKind::OneForwardOneBackward;
    addChoices();
    facts = legalityInputsOf(plan, choices);
    candidates = meshSpace(plan, choices);
    if (!open.mesh)
      llvm::erase_if(candidates, [&](const LayoutCandidate& one) { return !isWritten(one); });
  }

  bool anyMesh() const { return !open.mesh || !candidates.empty(); }

  ir::Space build() {
    space.name = plan.layout.name, space.keep = rankedLayouts;
    if (open.mesh)
      addDegrees();
    if (open.microBatch)
      add("micro_batch", microBatches());
    if (open.schedule)
      add("schedule", schedules());
    if (open.recompute)
      add("recompute", recomputes());
    for (const auto& [isOpen, path] : {std::pair(open.optimizer, "shard.optimizer"),
                                       {open.gradients, "shard.gradients"},
                                       {open.parameters, "shard.parameters"}})
      if (isOpen)
        add(path, {"none", "data"});
    if (open.sequence &&
        llvm::any_of(candidates, [](const auto& one) { return one.sequenceParallel; }))
      add("shard.sequence", {"none", "tensor"});
    const auto isPipeline = [](const LayoutCandidate& one) { return one.pipeline > 1; };
    if (open.split && plan.model.layers() > 1 && llvm::any_of(candidates, isPipeline))
      add("split", {"even", "by_flop"});
    addConstraints();
    ir::Objective step;
    step.source = "step_time", step.nodes = {resultNode("step_time")};
    space.objectives.push_back(std::move(step));
    return std::move(space);
  }

private:
  void addChoices() {
    std::vector<ir::ScheduleCandidate> rows;
    if (open.schedule)
      for (const ir::ScheduleCandidate& row : scheduleSpace(1, 1)) {
        if (cost::scheduleInfo(row.schedule).byTime)
          continue; // each candidate would be executed for a long time
        rows.push_back(row);
        if (ir::chunksOf(row.schedule) == 0 && row.chunks == 8)
          for (const std::uint64_t chunks : moreChunks)
            rows.push_back(row), rows.back().chunks = chunks;
      }
    const auto isDefault = [&](const ir::ScheduleCandidate& row) {
      return row.schedule == plan.layout.schedule && row.chunks == plan.layout.chunks;
    };
    // The default is first: candidates that are equal in all objectives are in order of the space.
    std::stable_partition(rows.begin(), rows.end(), isDefault);
    ir::Layout layout = plan.layout;
    const auto addWith = [&](OpenChoice choice) {
      for (const SplitKind split : {choice.split, SplitKind::ByFlop}) {
        choice.split = split, choice.dealt = choices.size();
        choice.write(layout);
        choices.push_back(choice);
        if (!open.split)
          break;
      }
    };
    if (rows.empty())
      addWith(OpenChoice(plan.layout));
    for (const ir::ScheduleCandidate& row : rows) {
      OpenChoice choice(plan.layout);
      choice.schedule = row.schedule, choice.chunks = row.chunks, choice.inFlight = row.inFlight;
      choice.write(layout);
      if (choices.empty() || !runs || runs(layout))
        addWith(choice);
    }
  }

  /// Whether a candidate has the degrees that the file sets. Axes with `rest` may have any degree.
  bool isWritten(const LayoutCandidate& one) const {
    const auto agrees = [](const std::vector<ir::AxisRequest>& axes, ir::Axis axis,
                           std::uint64_t size) {
      const auto at = llvm::find_if(axes, [&](const auto& r) { return r.axis == axis; });
      return at == axes.end() ? size == 1 : at->rest || at->size == size;
    };
    const ir::MeshRequest& mesh = plan.layout.mesh;
    return agrees(mesh.axes, ir::Axis::Pipeline, one.pipeline) &&
           agrees(mesh.axes, ir::Axis::Tensor, one.tensor) &&
           agrees(mesh.axes, ir::Axis::Context, one.context);
  }

  /// Adds the degrees that legal meshes have. Other axes have 1 rank, and data ranks are the rest.
  void addDegrees() {
    const auto addDegree = [&](const char* axis, std::uint32_t LayoutCandidate::*degree) {
      std::set<std::uint32_t> sizes;
      for (const LayoutCandidate& one : candidates)
        sizes.insert(one.*degree);
      std::vector<std::string> texts;
      for (const std::uint32_t size : sizes)
        texts.push_back(std::to_string(size));
      if (texts != std::vector<std::string>{"1"})
        add(axis, std::move(texts));
    };
    addDegree("mesh.tensor", &LayoutCandidate::tensor);
    addDegree("mesh.context", &LayoutCandidate::context);
    addDegree("mesh.experts.tensor", &LayoutCandidate::expertTensor);
    addDegree("mesh.experts.expert", &LayoutCandidate::expert);
    addDegree("mesh.pipeline", &LayoutCandidate::pipeline);
  }

  std::vector<std::string> microBatches() const {
    std::set<std::uint64_t> sizes;
    for (std::uint64_t size = 1; size <= largestMicroBatch; size *= 2)
      if (plan.layout.batch % size == 0 && (!open.mesh || isOfMesh(size)))
        sizes.insert(size);
    std::vector<std::string> out;
    for (const std::uint64_t size : sizes)
      out.push_back(fmt::format("{}{}", size, ir::suffixOf(plan.layout.batchUnit)));
    return out;
  }

  bool isOfMesh(std::uint64_t microBatch) const {
    return llvm::any_of(candidates, [&](const auto& one) { return one.microBatch == microBatch; });
  }

  /// The schedules that are legal for some mesh: all schedules if the mesh has replicas or another
  /// order of axes.
  std::vector<std::string> schedules() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      ir::ScheduleCandidate row;
      row.schedule = choices[i].schedule, row.chunks = choices[i].chunks;
      row.inFlight = choices[i].inFlight;
      if ((!out.empty() && out.back() == row.text()) ||
          facts[i].fixed != cost::LegalityRule::None ||
          (!candidates.empty() && llvm::none_of(candidates, [&](const LayoutCandidate& one) {
            return isLegal(plan, facts[i], choices[i], one);
          })))
        continue;
      out.push_back(row.text());
    }
    return out;
  }

  std::vector<std::string> recomputes() const {
    std::vector<std::string> out;
    for (const ir::Recompute& one : recomputations(plan))
      out.push_back(ir::recomputeSetting(one));
    return out;
  }

  void add(std::string path, std::vector<std::string> values) {
    if (values.empty())
      return;
    ir::OpenField field;
    field.path = std::move(path), field.values = std::move(values);
    space.open.push_back(std::move(field));
  }

  bool varies(llvm::StringRef path) const {
    return llvm::any_of(space.open, [&](const ir::OpenField& field) { return field.path == path; });
  }

  /// Adds constraints that exclude illegal pairs of values and duplicates of layouts, and the
  /// headroom.
  void addConstraints() {
    const auto ifVaried = [&](const char* path, const char* other, ir::Assertion constraint) {
      if (varies(path) && varies(other))
        space.constraints.push_back(std::move(constraint));
    };
    for (const auto& [path, other] :
         {std::pair("shard.parameters", "shard.gradients"), {"shard.gradients", "shard.optimizer"}})
      ifVaried(path, other,
               unless(fmt::format("{} == none", path), resultNode(fmt::format("layout.{}", path)),
                      Operation::Equal, nameNode("none"), other, "data"));
    for (const auto& [axis, other, value] : {std::tuple("mesh.pipeline", "schedule", "1f1b"),
                                             {"mesh.pipeline", "split", "even"},
                                             {"mesh.tensor", "shard.sequence", "none"}})
      ifVaried(axis, other,
               unless(fmt::format("{} > 1", axis), resultNode(fmt::format("layout.{}", axis)),
                      Operation::Greater, numberNode("1"), other, value));
    addHeadroom();
  }

  void addHeadroom() {
    const double share = 1 - plan.lint.headroom;
    ir::Assertion constraint;
    if (const auto& types = plan.cluster.nodeTypes; types.size() == 1) {
      const auto most = static_cast<std::uint64_t>(share * ir::real(types.front().device.memory));
      constraint.source =
          fmt::format("memory.peak <= {:.2f}GiB", ir::real(most) / static_cast<double>(1 << 30));
      constraint.nodes = {resultNode("memory.peak"), numberNode(std::to_string(most), "Bytes")};
    } else {
      // The share is written in thousandths, because numbers of assertions are exact.
      const auto thousandths = static_cast<std::uint64_t>(1000 * share + 0.5);
      constraint.source =
          fmt::format("memory.peak <= {:g} * memory.usable", ir::real(thousandths) / 1000);
      constraint.nodes = {resultNode("memory.peak"),
                          numberNode(fmt::format("{}/1000", thousandths)),
                          resultNode("memory.usable"), operationNode(Operation::Multiply, {1, 2})};
    }
    constraint.nodes.push_back(
        operationNode(Operation::LessEqual, {0, constraint.nodes.size() - 1}));
    const std::size_t sign = constraint.source.find("<=");
    for (ir::AssertionNode& node : constraint.nodes)
      node.begin = node.anchor = sign + 3, node.end = constraint.source.size();
    constraint.nodes.front().begin = constraint.nodes.front().anchor = 0;
    constraint.nodes.front().end = sign - 1;
    constraint.nodes.back().begin = 0, constraint.nodes.back().anchor = sign;
    space.constraints.push_back(std::move(constraint));
  }

  const OpenLayoutFields open;
  ir::Plan plan;
  const SupportsSchedule& runs;
  std::vector<OpenChoice> choices; ///< every schedule with every split
  std::vector<cost::LegalityInputs> facts;
  std::vector<LayoutCandidate> candidates;
  ir::Space space;
};
} // namespace

std::optional<ir::Space> dpl::planner::defaultSpace(const ir::Plan& plan,
                                                    const OpenLayoutFields& open,
                                                    const SupportsSchedule& runs) {
  SpaceBuilder builder(plan, open, runs);
  return builder.anyMesh() ? std::optional(builder.build()) : std::nullopt;
}

std::string dpl::planner::meshOfDefaultSpace(const ir::Plan& plan) {
  return fmt::format(
      "mesh {{ pipeline = 1, data = rest, context = 1, tensor = 1{} }}",
      cost::hasExperts(plan.model) ? ", experts { data = rest, expert = 1, tensor = 1 }" : "");
}

std::string dpl::planner::meshWith(bool experts,
                                   const std::map<std::string, std::string>& degrees) {
  const auto axis = [&](const char* path, const char* name) {
    const auto found = degrees.find(path);
    return found == degrees.end() || found->second == "1"
               ? std::string()
               : fmt::format(", {} = {}", name, found->second);
  };
  const std::string pipeline = axis("mesh.pipeline", "pipeline");
  std::string out =
      fmt::format("mesh {{ {}data = rest{}{}", pipeline.empty() ? "" : pipeline.substr(2) + ", ",
                  axis("mesh.context", "context"), axis("mesh.tensor", "tensor"));
  if (experts)
    out += fmt::format(", experts {{ data = rest{}{} }}", axis("mesh.experts.expert", "expert"),
                       axis("mesh.experts.tensor", "tensor"));
  return out + " }";
}

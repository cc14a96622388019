//===- CheckLayout.cpp - Checks mesh, expert grid, batch and sharding -------------------------===//
#include "passes/CheckLayout.h"
#include "cost/legality/Legality.h"
#include "ir/DataRanks.h"
#include "ir/Names.h"
#include "passes/Passes.h"
#include "passes/Words.h"
#include "support/diagnostics/Layout.h"
#include "llvm/ADT/SmallVector.h"

using namespace dpl;
using ir::Axis;
namespace legal = cost::legal;

namespace {

const ir::AxisRequest* requestOf(const std::vector<ir::AxisRequest>& axes, Axis axis) {
  for (const ir::AxisRequest& request : axes)
    if (request.axis == axis)
      return &request;
  return nullptr;
}

/// Proposes `rest` for an axis if the other axes leave a whole number.
DiagnosticEngine::InFlight offerRest(DiagnosticEngine::InFlight d, const ir::Layout& layout,
                                     Axis axis, std::uint64_t devices, std::uint64_t others) {
  if (others == 0 || devices % others != 0)
    return d;
  std::string help = fmt::format("write `data = rest` to take what the other {}axes leave ({})",
                                 axis == Axis::ExpertData ? "expert " : "", devices / others);
  if (const SourceRange value = valueRange(layout, pathOf(axis)); value.valid())
    return std::move(d).help(std::move(help)).edit(value, "rest");
  return std::move(d).help(std::move(help));
}

/// The product of the axes in the file; none if it overflows.
std::optional<std::uint64_t> meshProduct(const ir::Plan& plan) {
  llvm::SmallVector<std::uint64_t, 8> written;
  for (const ir::MeshAxis& axis : plan.mesh.axes)
    if (requestOf(plan.layout.mesh.axes, axis.axis))
      written.push_back(axis.size);
  return product(written);
}

LogicalResult checkExpertGrid(const ir::Plan& plan, DiagnosticEngine& diags) {
  const ir::Layout& layout = plan.layout;
  if (!layout.mesh.hasExperts)
    return LogicalResult::success();
  const SourceRange grid = layout.rangeOf("mesh.experts");
  if (!cost::hasExperts(plan.model))
    return diags.report<diag::ExpertGridWithoutExperts>(grid, plan.model.name)
        .note<diag::ModelDeclaredHere>(layout.rangeOf("model"), plan.model.name);
  const std::uint64_t tensor = plan.mesh.size(Axis::Tensor);
  const ir::AxisRequest* expertTensor = requestOf(layout.mesh.experts, Axis::ExpertTensor);
  if (tensor > 1 && (!expertTensor || !expertTensor->given))
    return diags.report<diag::ExpertTensorNotGiven>(grid, tensor)
        .help(fmt::format(
            "add `tensor = 1` to keep experts whole, or `tensor = {}` to divide them like "
            "the other layers",
            tensor));
  const std::uint64_t data = plan.mesh.size(Axis::ExpertData),
                      expert = plan.mesh.size(Axis::Expert);
  const std::uint64_t inner = plan.mesh.size(Axis::ExpertTensor);
  const std::uint64_t stage = plan.mesh.size(Axis::Data) * plan.mesh.size(Axis::Context) * tensor;
  const std::optional<std::uint64_t> used = product({data, expert, inner});
  if (used == stage)
    return LogicalResult::success();
  return offerRest(
      diags.report<diag::ExpertGridMismatch>(grid, used.value_or(UINT64_MAX), stage)
          .label(fmt::format(
              "{}, needed data × context × tensor: {}", showProduct({data, expert, inner}),
              showProduct({plan.mesh.size(Axis::Data), plan.mesh.size(Axis::Context), tensor}))),
      layout, Axis::ExpertData, stage, product({expert, inner}).value_or(0));
}

/// Checks that the batch is a multiple of micro-batch × replicas.
LogicalResult checkBatch(const ir::Plan& plan, DiagnosticEngine& diags) {
  const ir::Layout& layout = plan.layout;
  const std::uint64_t ranks = plan.mesh.dataRanks();
  const std::optional<std::uint64_t> pass = product({layout.microBatch, ranks});
  if (legal::batch(layout.batch, pass) ||
      (ir::hasUnequalShares(layout) && legal::unequalBatch(layout.batch, layout.microBatch, pass)))
    return LogicalResult::success();
  auto d = diags.report<diag::BatchDoesNotDivide>(layout.rangeOf("batch"), layout.batch,
                                                  batchNoun(layout), pass.value_or(UINT64_MAX));
  if (!pass)
    return std::move(d).label(showProduct({layout.microBatch, ranks}));
  const std::uint64_t below = layout.batch / *pass * *pass;
  std::string help = below == 0
                         ? fmt::format("the smallest batch is {}", *pass)
                         : fmt::format("the nearest batches are {} and {}", below, below + *pass);
  return std::move(d)
      .label(fmt::format("micro-batch × data ranks: {}; {}",
                         showProduct({layout.microBatch, ranks}),
                         showQuotient(layout.batch, *pass)))
      .help(std::move(help));
}

class CheckLayout final : public Pass {
public:
  llvm::StringRef name() const override { return "check-layout"; }
  LogicalResult run(ir::Plan& plan, DiagnosticEngine& diags) override {
    // If the mesh does not fill the cluster, its degrees are not the intended ones.
    if (meshProduct(plan) != plan.cluster.devices())
      return checkMesh(plan, diags);
    bool failed = checkMesh(plan, diags).failed();
    failed |= checkModel(plan, diags).failed();
    failed |= checkStages(plan, diags).failed();
    failed |= checkShard(plan, diags).failed();
    failed |= checkDataRanks(plan, diags).failed();
    failed |= checkCompression(plan, diags).failed();
    failed |= checkOffload(plan, diags).failed();
    if (!failed)
      adviseOnMethod(plan, diags);
    return failed ? LogicalResult::failure() : LogicalResult::success();
  }
};

} // namespace

LogicalResult dpl::checkMesh(const ir::Plan& plan, DiagnosticEngine& diags) {
  llvm::SmallVector<std::uint64_t, 8> written;
  std::uint64_t others = 1;
  for (const ir::MeshAxis& axis : plan.mesh.axes) {
    const ir::AxisRequest* request = requestOf(plan.layout.mesh.axes, axis.axis);
    if (request)
      written.push_back(axis.size);
    if (axis.axis != Axis::Data && __builtin_mul_overflow(others, axis.size, &others))
      others = 0;
  }
  const std::optional<std::uint64_t> used = product(written);
  if (used != plan.cluster.devices())
    return offerRest(withCluster(diags
                                     .report<diag::MeshSizeMismatch>(
                                         plan.layout.rangeOf("mesh"), used.value_or(UINT64_MAX),
                                         plan.cluster.name, plan.cluster.devices())
                                     .label(showProduct(written)),
                                 plan),
                     plan.layout, Axis::Data, plan.cluster.devices(), others);
  bool failed = checkExpertGrid(plan, diags).failed();
  failed |= checkBatch(plan, diags).failed();
  return failed ? LogicalResult::failure() : LogicalResult::success();
}

LogicalResult dpl::checkShard(const ir::Plan& plan, DiagnosticEngine& diags) {
  const ir::Layout& layout = plan.layout;
  const ir::Shard& shard = layout.shard;
  bool failed = false;
  const auto legal = [&](const char* field, ir::ShardAxis axis, ir::ShardAxis allowed) {
    if (legal::shardAxis(axis, allowed))
      return true;
    failed = true;
    diags.report<diag::IllegalShardAxis>(layout.rangeOf(std::string("shard.") + field), field,
                                         ir::name(axis), ir::name(allowed));
    return false;
  };
  bool state = legal("parameters", shard.parameters, ir::ShardAxis::Data);
  state &= legal("gradients", shard.gradients, ir::ShardAxis::Data);
  state &= legal("optimizer", shard.optimizer, ir::ShardAxis::Data);
  const bool sequence = legal("sequence", shard.sequence, ir::ShardAxis::Tensor);
  (void)legal("messages", shard.messages, ir::ShardAxis::Tensor);

  const auto demand = [&](const char* outer, const char* inner, ir::ShardAxis innerAxis) {
    failed = true;
    diags
        .report<diag::ShardIncomplete>(layout.rangeOf(std::string("shard.") + outer), outer, inner,
                                       ir::name(innerAxis))
        .help(fmt::format("add `{} = data`", inner));
  };
  if (state && !legal::parametersWithGradients(shard))
    demand("parameters", "gradients", shard.gradients);
  else if (state && !legal::gradientsWithOptimizer(shard))
    demand("gradients", "optimizer", shard.optimizer);

  if (sequence && shard.sequence == ir::ShardAxis::Tensor &&
      !legal::sequenceParallelTensor(plan.mesh.size(Axis::Tensor)))
    diags.report<diag::SequenceParallelWithoutTensor>(layout.rangeOf("shard.sequence"))
        .help("without tensor parallelism it has no effect");
  return failed ? LogicalResult::failure() : LogicalResult::success();
}

std::unique_ptr<Pass> dpl::createCheckLayoutPass() { return std::make_unique<CheckLayout>(); }

//===- IdleFields.cpp - Fields of a file that have no effect ----------------------------------===//
#include "passes/IdleFields.h"
#include "cost/compute/PolicyOperators.h"
#include "cost/memory/OutsideTensors.h"
#include "cost/memory/RankMemory.h"
#include "ir/DataRanks.h"
#include "ir/Names.h"
#include "ir/SetInFile.h"
#include "support/diagnostics/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
class IdleFields {
public:
  IdleFields(const Plan& plan, DiagnosticEngine& diags)
      : plan(plan), l(plan.layout), diags(diags) {}

  void run() {
    gradients();
    sharded();
    gathered();
    dataRanks();
    if (l.buffers.keepMessages && plan.mesh.size(Axis::Pipeline) == 1)
      idle("buffers.receive_buffer_per_micro_batch", "there is no pipeline");
    if (l.buffers.expandableSegments && !cost::runsOnPyTorch(plan))
      idle("buffers.expandable_segments", "no `framework` that runs on PyTorch is named");
    exchanges();
    offload();
    communication();
    stages();
    experts();
    prices();
    if (l.recompute.kind == RecomputeKind::Saved)
      policy();
  }

private:
  void idle(const std::string& field, const std::string& why) {
    if (isSetInFile(plan, field))
      (void)diags.report<diag::IdleField>(l.rangeOf(field), field, why);
  }

  /// Whether the axis has one rank because the file sets it. A mesh that was found might differ
  /// without the field.
  bool isAlone(Axis axis) const { return !plan.mesh.found && plan.mesh.size(axis) == 1; }

  void gradients() {
    const Buffers& held = l.buffers;
    if (held.hasBuckets && plan.stateRanks() == 1)
      idle("buffers.gradient_buckets", "no data ranks reduce gradients");
    else if (held.hasBuckets && l.shard.stage() > 0)
      idle("buffers.gradient_buckets",
           "these buckets belong to an unsharded optimizer, `shard` shards it");
    if (held.hasWholeGradients && !cost::sumsWhole(plan))
      idle("buffers.unsharded_gradients",
           l.shard.stage() < 2 ? "`shard.gradients` is `none`"
                               : "it needs several micro-batches and a pipeline with a flush");
  }

  void sharded() {
    const Buffers& held = l.buffers;
    const bool divides = plan.stateRanks() > 1;
    if (held.flatUpdate && !(cost::gathersFlat(plan) && divides))
      idle("buffers.flat_parameter_gather", "it needs ZeRO stage 1 or 2 and several data ranks");
    if (held.hasUpdateGradients && !(cost::stepsFromCopy(plan) && divides))
      idle("buffers.optimizer_gradients",
           l.offloadSettings().gradients ? "gradients are summed in host memory"
                                         : "the optimizer state is not sharded over data ranks");
    if (held.keepEndsGathered && !(l.shard.stage() == 3 && divides))
      idle("buffers.keep_root_unsharded", "parameters are not sharded over data ranks");
  }

  /// Reports fields that have no effect because neither dense layers nor experts have several data
  /// ranks. Then no state is sharded, and `shard` and the overlap of its collectives have no
  /// effect.
  void dataRanks() {
    if (plan.mesh.found || sharesState(plan))
      return;
    const char* why = "each stage has one data rank, so that nothing is sharded";
    const std::pair<const char*, ShardAxis> fields[] = {{"shard.parameters", l.shard.parameters},
                                                        {"shard.gradients", l.shard.gradients},
                                                        {"shard.optimizer", l.shard.optimizer}};
    for (const auto& [field, axis] : fields)
      if (axis == ShardAxis::Data && isSetInFile(plan, field)) {
        idle(field, why);
        break; // one message is enough: to shard parameters, gradients and optimizer state must be
               // sharded too
      }
    if (plan.mesh.size(Axis::Replica) > 1)
      return;
    if (l.overlap.gradients)
      idle("overlap.gradients", "no data ranks reduce gradients");
    if (l.overlap.parameters)
      idle("overlap.parameters", "no data ranks gather parameters");
    if (l.gradientBucket > 0)
      idle("gradient_bucket_size", "no data ranks reduce gradients");
  }

  void exchanges() {
    if (l.overlap.experts && plan.mesh.expertAxes.empty())
      idle("overlap.experts", "no ranks exchange tokens for experts");
    if (l.shard.messages == ShardAxis::Tensor && plan.mesh.size(Axis::Pipeline) == 1)
      idle("shard.messages", "there is no pipeline");
    if (l.shard.stage() < 3)
      idle("shard.reshard_after_forward", "parameters are not sharded");
  }

  void gathered() {
    if (l.shard.sequence == ShardAxis::Tensor && plan.mesh.size(Axis::Tensor) > 1)
      return;
    const char* why = "no tensor ranks divide the sequence";
    if (l.buffers.gathered > 0)
      idle("buffers.sequence_gather_buffers", why);
    if (l.buffers.saveGathered)
      idle("buffers.save_gathered_inputs", why);
  }

  void communication() {
    const CommunicationOptions calls = l.communication();
    if (calls.earlyStop && l.recompute.kind == RecomputeKind::Saved)
      idle("early_stop", "`recompute = save_only` recomputes only what a backward pass needs");
    else if (calls.earlyStop && l.recompute.kind != RecomputeKind::Full)
      idle("early_stop", "no layers are recomputed whole");
    if (calls.keys != KeyExchangeKind::Ring && isAlone(Axis::Context))
      idle("communication_options.context_exchange", "no context ranks exchange keys");
    if (calls.stacked && !plan.mesh.found &&
        !(l.shard.sequence == ShardAxis::Tensor && plan.mesh.size(Axis::Tensor) > 1))
      idle("communication_options.scatter_gather_copies", "no tensor ranks divide the sequence");
    // In torchtitan this field affects `compile`.
    if (l.overlap.tensor && isAlone(Axis::Tensor) && plan.framework.name != "torchtitan")
      idle("overlap.tensor", "there are no tensor ranks");
  }

  void stages() {
    if (!l.overlap.pipeline && isAlone(Axis::Pipeline))
      idle("overlap.pipeline", "there is no pipeline");
    if (plan.chunks.size() != 1 || plan.mesh.found)
      return;
    const char* why = "all layers are on one stage";
    if (l.embeddingSlots > 0)
      idle("embedding_slots", why);
    if (l.headSlots > 0)
      idle("head_slots", why);
    // A listed split has an effect: check-layout compares its number of layers with the model.
    if (l.split != SplitKind::Even && l.split != SplitKind::Listed)
      idle("split", why);
  }

  void experts() {
    if (llvm::any_of(plan.model.layerTypes, [](const LayerType& c) {
          return c.feedForward.kind == FeedForwardKind::Experts;
        }))
      return;
    const char* why = "the model has no experts";
    const Kernels& kernels = l.kernels;
    if (kernels.dispatch != DispatchKind::AllToAll)
      idle("kernels.token_dispatcher", why);
    if (kernels.router != KernelKind::Separate)
      idle("kernels.router", why);
    if (kernels.permutation != KernelKind::Separate)
      idle("kernels.permutation", why);
    if (l.communication().groupedExperts)
      idle("kernels.experts", why);
  }

  /// Reports prices that have no effect because some devices have no price or no power.
  void prices() {
    const Cluster& cluster = plan.cluster;
    const auto without = [&](const auto& has) {
      return llvm::find_if(cluster.nodeTypes, [&](const NodeType& c) { return !has(c); });
    };
    const auto unpriced = without([](const NodeType& c) { return c.pricePerHour.has_value(); });
    if (unpriced != cluster.nodeTypes.end())
      for (const auto& [field, range] : l.ranges)
        if (llvm::StringRef(field).startswith("cluster.node_pool[") &&
            llvm::StringRef(field).endswith("].price"))
          idle(field, fmt::format("{} nodes have no price, so that no cost is known",
                                  unpriced->displayName()));
    if (!cluster.energyPrice)
      return;
    const auto dark = without([](const NodeType& c) { return c.device.busyPower.has_value(); });
    if (dark != cluster.nodeTypes.end())
      idle(
          "cluster.energy_price",
          fmt::format("device `{}` has no `power`, so that no energy is known", dark->device.name));
    else if (cluster.idleDevices > 0 && !cluster.idlePower)
      idle("cluster.energy_price",
           "devices that are left out have no `power`, so that no energy is known");
  }

  void offload() {
    if (l.offload.empty())
      idle("offload", "nothing is offloaded to host memory");
    if (l.recompute.offloaded.empty() || !isSetInFile(plan, "offload.activations"))
      return;
    if (llvm::all_of(plan.chunks,
                     [&](const Chunk& c) { return l.offloadSettings().layers >= c.layers; }))
      (void)diags.report<diag::IdleField>(l.rangeOf("recompute"), "recompute.offloaded",
                                          "`offload.activations` already offloads all layers");
  }

  void policy() {
    if (l.ranges.count("recompute.policy") != 0)
      (void)diags.report<diag::IdleField>(l.rangeOf("recompute.policy"), "recompute.policy",
                                          "`operators` already lists what is kept");
    const auto kept = [&](SavedOperator op) {
      return op != SavedOperator::Input && (op != SavedOperator::Down || plan.model.postNorms);
    };
    if (!l.recompute.saved.empty() && llvm::none_of(l.recompute.saved, kept))
      idle("recompute.operators", "the input is kept in any case, as with `full`, and no norm "
                                  "reads the output of `down_proj`");
    if (!plan.model.postNorms && llvm::is_contained(l.recompute.offloaded, SavedOperator::Down))
      idle("recompute.offloaded",
           "the output of `down_proj` is not kept, because no norm reads it");
    quantization();
  }

  void quantization() {
    const Precision& precision = l.precision;
    if (!l.recompute.saves(SavedOperator::Quantization) || cost::namesQuantized(precision))
      return;
    const char* field = l.recompute.offloads(SavedOperator::Quantization) ? "recompute.offloaded"
                                                                          : "recompute.operators";
    const std::string why =
        bitsOf(precision.compute) > 8
            ? fmt::format("operands of GEMMs are in {} and are not quantized",
                          name(precision.compute))
            : fmt::format("Transformer Engine has no recipe `{}` in JAX", name(precision.recipe));
    (void)diags.report<diag::IdleField>(l.rangeOf(field), "quantization", why);
  }

  const Plan& plan;
  const Layout& l;
  DiagnosticEngine& diags;
};
} // namespace

void dpl::checkIdleFields(const Plan& plan, DiagnosticEngine& diags) {
  IdleFields(plan, diags).run();
}

//===- LowerLayout.cpp - Lowers a layout ------------------------------------------------------===//
#include "frontend/sema/Lowering.h"
#include "ir/Limits.h"
#include "support/diagnostics/Layout.h"
#include "support/diagnostics/Schema.h"

using namespace dpl;
using namespace dpl::sema;

namespace {

class LayoutLowering {
public:
  LayoutLowering(Lowering& to, const ObjectFields& fields)
      : to(to), fields(fields), layout(to.plan.layout) {}

  LogicalResult run() {
    layout.name = fields.name().str();
    for (const char* field : {"devices",
                              "mesh",
                              "batch",
                              "micro_batch",
                              "schedule",
                              "split",
                              "embedding_slots",
                              "head_slots",
                              "recompute",
                              "early_stop",
                              "shard",
                              "precision",
                              "optimizer",
                              "post_validation",
                              "overlap",
                              "vocab_multiple",
                              "fused_attention",
                              "kernels",
                              "buffers",
                              "launch_blocking",
                              "gradient_bucket_size",
                              "compression",
                              "cuda_graphs",
                              "micro_batch_costs",
                              "communication_options"})
      to.locate(field, fields, field);
    devices();
    lowerMesh(to, fields);
    layout.batchUnit =
        to.plan.model.isLayerList() ? ir::BatchUnitKind::Samples : ir::BatchUnitKind::Sequences;
    layout.batch = lowerBatch(to, fields, "batch", layout.batchUnit);
    const bool automatic = fields.isAuto("micro_batch");
    layout.microBatch = automatic ? 1 : lowerBatch(to, fields, "micro_batch", layout.batchUnit);
    layout.microBatchGiven = fields.isSet("micro_batch") && !automatic;
    layout.microBatchAutomatic = automatic && !layout.mesh.automatic; // that chooses it as well
    recompute();
    lowerSchedule(to, fields);
    split();
    shard();
    precision();
    optimizer();
    layout.launchBlocking = fields.flag("launch_blocking");
    gradientBucket();
    overlap();
    lowerDataRanks(to, fields);
    layout.vocabMultiple = to.bounded(fields.count("vocab_multiple"), mostElements,
                                      "vocab_multiple", fields.range("vocab_multiple"));
    if (fields.has("notes"))
      layout.notes = fields.text("notes");
    layout.fusedAttention = fields.flag("fused_attention");
    kernels();
    buffers();
    offload();
    communicators();
    communication();
    layout.graphs = fields.flag("cuda_graphs");
    layout.setsUpdateTime = fields.has("optimizer_time");
    layout.update = layout.setsUpdateTime ? fields.picoseconds("optimizer_time") : 0;
    lowerFineTuning(to, fields);
    layout.postValidation = fields.flag("post_validation");
    return fields.failed() || to.failed ? LogicalResult::failure() : LogicalResult::success();
  }

private:
  void gradientBucket() {
    layout.bucketAutomatic = fields.isAuto("gradient_bucket_size");
    if (layout.bucketAutomatic)
      return;
    layout.gradientBucket = fields.bytes("gradient_bucket_size");
    if (fields.failed() || !fields.has("gradient_bucket_size") ||
        layout.gradientBucket >= ir::leastBucket)
      return;
    to.failed = true;
    to.diags.report<diag::OutsideRange>(fields.range("gradient_bucket_size"),
                                        "gradient_bucket_size", "at least 1MiB",
                                        fmt::format("{}B", layout.gradientBucket));
  }

  void devices() {
    if (!fields.has("devices"))
      return;
    layout.devices =
        to.bounded(fields.count("devices"), mostDevices, "devices", fields.range("devices"));
    if (layout.devices != 0 || fields.failed())
      return;
    to.failed = true;
    to.diags.report<diag::FieldIsZero>(fields.range("devices"), "devices");
  }

  void split() {
    layout.embeddingSlots = slots("embedding_slots");
    layout.headSlots = slots("head_slots");
    const Value value = fields.value("split");
    if (value.is(Value::ValueKind::List)) {
      layout.split = ir::SplitKind::Listed;
      layout.splitLayers = fields.counts("split");
    } else if (fields.choice("split") == "stages") {
      layout.split = ir::SplitKind::Listed;
      layout.splitLayers = fields.object("split").counts("layers");
    } else {
      layout.split = choice(fields, "split", ir::SplitKind::Even);
    }
    for (std::uint64_t& layers : layout.splitLayers)
      layers = to.bounded(layers, mostLayers, "split", fields.range("split"));
  }
  std::uint64_t slots(const char* field) {
    return to.bounded(fields.count(field), mostLayers, field, fields.range(field));
  }

  void savedOperators(const ObjectFields& chosen, const char* field,
                      std::vector<ir::SavedOperator>& out) {
    to.locate(std::string("recompute.") + field, chosen, field);
    for (const std::string& name : chosen.names(field)) {
      ir::SavedOperator op{};
      if (ir::valueNamed(name, op) && std::find(out.begin(), out.end(), op) == out.end())
        out.push_back(op);
    }
  }

  void recompute() {
    ir::Recompute& out = layout.recompute;
    out.kind = choice(fields, "recompute", ir::RecomputeKind::None);
    if (out.kind == ir::RecomputeKind::None)
      return;
    const ObjectFields chosen = fields.object("recompute");
    out.inAdvance = chosen.flag("in_advance");
    to.locate("recompute.in_advance", chosen, "in_advance");
    if (out.kind == ir::RecomputeKind::Selective) {
      for (const std::string& name : chosen.names("modules")) {
        ir::ModuleKind module{};
        if (ir::valueNamed(name, module) &&
            std::find(out.modules.begin(), out.modules.end(), module) == out.modules.end())
          out.modules.push_back(module);
      }
      return;
    }
    if (out.kind == ir::RecomputeKind::Saved) {
      savedOperators(chosen, "operators", out.saved);
      savedOperators(chosen, "offloaded", out.offloaded);
      // A policy of a framework chooses the operators itself.
      const llvm::StringRef policy = chosen.choice("policy");
      if (policy != "custom" &&
          chosen.isSet(policy.contains("offloaded") ? "offloaded" : "operators"))
        to.locate("recompute.policy", chosen, "policy");
      for (const char* field : {"operators", "offloaded"})
        to.locate(std::string("recompute.") + field, chosen, field);
      return;
    }
    out.method = choice(chosen, "method", ir::RecomputeMethod::Uniform);
    out.layers =
        to.bounded(chosen.count("layers"), mostLayers, "recompute.layers", chosen.range("layers"));
    to.locate("recompute.layers", chosen, "layers");
  }

  void shard() {
    const ObjectFields from = fields.object("shard");
    ir::Shard& out = layout.shard;
    for (const auto& [field, axis] :
         {std::pair("parameters", &out.parameters), std::pair("gradients", &out.gradients),
          std::pair("optimizer", &out.optimizer), std::pair("sequence", &out.sequence),
          std::pair("messages", &out.messages)}) {
      *axis = choice(from, field, ir::ShardAxis::None);
      to.locate(std::string("shard.") + field, from, field);
    }
    out.sequenceGiven = from.isSet("sequence");
    out.reshard = from.flag("reshard_after_forward");
    to.locate("shard.reshard_after_forward", from, "reshard_after_forward");
  }

  void precision() {
    const ObjectFields from = fields.object("precision");
    ir::Precision& out = layout.precision;
    for (const auto& [field, type] :
         {std::pair("compute", &out.compute), std::pair("parameters", &out.parameters),
          std::pair("gradients", &out.gradients), std::pair("reduce", &out.reduce),
          std::pair("moments", &out.moments)}) {
      *type = choice(from, field, ir::DataType::BF16);
      to.locate(std::string("precision.") + field, from, field);
    }
    if (from.has("recipe"))
      out.recipe = choice(from, "recipe", ir::Fp8Recipe::Tensorwise);
    to.locate("precision.recipe", from, "recipe");
    to.locate("precision.master_weights", from, "master_weights");
    const llvm::StringRef master = from.choice("master_weights");
    out.hasMaster = master != "none";
    if (out.hasMaster)
      ir::valueNamed(master, out.master);
    out.head = ir::bitsOf(out.compute) < 16 ? ir::DataType::BF16 : out.compute;
    for (const ObjectFields::FieldsEntry& entry : from.entries("module")) {
      if (entry.key != "head") {
        to.failed = true;
        to.diags.report<diag::ModulePrecision>(entry.range, entry.key);
        continue;
      }
      out.head = choice(entry.fields, "compute", out.head);
      layout.ranges["precision.module.head"] = entry.fields.range("compute");
    }
  }

  /// The token dispatcher of a layout that does not set one; `schema kernels` in prelude.dpl
  /// describes the choice.
  static ir::DispatchKind usualDispatch(const ir::Plan& plan) {
    const auto takesCopies = [](const ir::LayerType& c) {
      const ir::FeedForward& f = c.feedForward;
      return f.kind == ir::FeedForwardKind::Experts && (f.padded || f.active <= 2);
    };
    if (llvm::any_of(plan.model.layerTypes, takesCopies))
      return ir::DispatchKind::AllToAll;
    const bool leavesNode = plan.cluster.devicesIn(ir::Level::Domain) > plan.cluster.gpusPerNode;
    return leavesNode ? ir::DispatchKind::HybridEp : ir::DispatchKind::DeepEp;
  }

  void kernels() {
    const ObjectFields from = fields.object("kernels");
    ir::Kernels& out = layout.kernels;
    out.norm = choice(from, "norm", ir::KernelKind::Fused);
    out.rotary = choice(from, "rotary", ir::KernelKind::Fused);
    out.activation = choice(from, "activation", ir::KernelKind::Fused);
    out.loss = choice(from, "loss", ir::LossKind::InPlace);
    out.permutation = choice(from, "permutation", ir::KernelKind::Separate);
    out.router = choice(from, "router", ir::KernelKind::Separate);
    out.dispatch = from.has("token_dispatcher")
                       ? choice(from, "token_dispatcher", ir::DispatchKind::AllToAll)
                       : usualDispatch(to.plan);
    out.dispatchFp8 = from.has("token_dispatcher") && out.dispatch == ir::DispatchKind::DeepEp &&
                      from.object("token_dispatcher").flag("fp8");
    for (const char* field : {"token_dispatcher", "experts", "loss", "permutation", "router"})
      to.locate(std::string("kernels.") + field, from, field);
  }

  void buffers() {
    const ObjectFields from = fields.object("buffers");
    for (const char* field :
         {"gradient_buckets", "unsharded_gradients", "sequence_gather_buffers",
          "save_gathered_inputs", "flat_parameter_gather", "keep_root_unsharded",
          "optimizer_gradients", "receive_buffer_per_micro_batch", "expandable_segments"})
      to.locate(std::string("buffers.") + field, from, field);
    ir::Buffers& out = layout.buffers;
    out.hasBuckets = from.has("gradient_buckets");
    if (out.hasBuckets)
      out.buckets = choice(from, "gradient_buckets", ir::DataType::BF16);
    out.hasMicroBatchGradients = from.has("micro_batch_gradients");
    if (out.hasMicroBatchGradients)
      out.microBatchGradients = choice(from, "micro_batch_gradients", ir::DataType::BF16);
    out.hasWholeGradients = from.has("unsharded_gradients");
    if (out.hasWholeGradients)
      out.wholeGradients = choice(from, "unsharded_gradients", ir::DataType::FP32);
    out.gathered = from.count("sequence_gather_buffers");
    out.saveGathered = from.flag("save_gathered_inputs");
    out.flatUpdate = from.flag("flat_parameter_gather");
    out.keepEndsGathered = from.flag("keep_root_unsharded");
    out.hasUpdateGradients = from.has("optimizer_gradients");
    if (out.hasUpdateGradients)
      out.updateGradients = choice(from, "optimizer_gradients", ir::DataType::FP32);
    out.keepMessages = from.flag("receive_buffer_per_micro_batch");
    out.expandableSegments = from.flag("expandable_segments");
  }

  void offload() {
    to.locate("offload", fields, "offload");
    if (!fields.has("offload"))
      return;
    const ObjectFields from = fields.object("offload");
    const ir::Offload out{to.bounded(from.count("activations"), mostLayers, "offload.activations",
                                     from.range("activations")),
                          from.real("optimizer"), from.flag("gradients"), from.flag("parameters")};
    for (const char* field : {"activations", "optimizer", "gradients", "parameters"})
      to.locate(std::string("offload.") + field, from, field);
    if (!(out == ir::Offload()))
      layout.offload = {out};
  }

  void communication() {
    const ObjectFields from = fields.object("communication_options");
    ir::CommunicationOptions out;
    out.checks = from.picoseconds("consistency_check"), out.owners = from.flag("tensor_owners");
    out.keys = choice(from, "context_exchange", ir::KeyExchangeKind::Ring);
    if (out.keys == ir::KeyExchangeKind::Gathered) {
      const ObjectFields keys = from.object("context_exchange");
      out.keysRepeated = keys.flag("repeat_kv"), out.keysCompiled = keys.flag("compiled");
    }
    for (const char* field : {"context_exchange", "scatter_gather_copies"})
      to.locate(std::string("communication_options.") + field, from, field);
    out.stacked = from.flag("scatter_gather_copies");
    const ObjectFields kernels = fields.object("kernels");
    out.groupedExperts = kernels.choice("experts") == "grouped";
    to.locate("kernels.experts", kernels, "experts");
    out.earlyStop = fields.flag("early_stop");
    if (!(out == ir::CommunicationOptions()))
      layout.communicationOptions = {out};
  }

  void communicators() {
    to.locate("communicators", fields, "communicators");
    layout.communicators = choice(fields, "communicators", ir::CommunicatorRelease::Nccl2_22);
  }

  void optimizer() {
    layout.optimizer = choice(fields, "optimizer", ir::OptimizerKind::AdamW);
    lowerOptimizer(to, fields, layout.optimizer, false, layout.optimizerSettings);
    if (layout.optimizer == ir::OptimizerKind::Muon)
      layout.muonTensorMode =
          choice(fields.object("optimizer"), "tensor_mode", ir::MuonTensorMode::Duplicated);
  }

  void overlap() {
    const ObjectFields from = fields.object("overlap");
    ir::Overlap& out = layout.overlap;
    for (const auto& [field, flag] :
         {std::pair("gradients", &out.gradients), std::pair("parameters", &out.parameters),
          std::pair("pipeline", &out.pipeline), std::pair("tensor", &out.tensor),
          std::pair("experts", &out.experts)}) {
      *flag = from.flag(field);
      to.locate(std::string("overlap.") + field, from, field);
      if (!layout.launchBlocking)
        continue;
      if (*flag && from.isSet(field)) {
        to.failed = true;
        to.diags.report<diag::OverlapOfBlockingLaunches>(from.range(field), field)
            .help("leave the line out, or `launch_blocking`");
      }
      *flag = false;
    }
  }

  Lowering& to;
  const ObjectFields& fields;
  ir::Layout& layout;
};

} // namespace

LogicalResult sema::lowerLayout(Lowering& to, const ObjectFields& layout) {
  return LayoutLowering(to, layout).run();
}

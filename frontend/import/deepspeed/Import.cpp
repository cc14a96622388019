//===- Import.cpp - Converts a ds_config.json of DeepSpeed to a .dpl file ---------------------===//
//
// Keys and defaults are those of DeepSpeed 0.19 (runtime/config.py, runtime/zero/config.py,
// runtime/engine.py).
#include "frontend/import/BlockText.h"
#include "frontend/import/Configuration.h"
#include "frontend/import/Degrees.h"
#include "frontend/import/PlanFile.h"
#include "frontend/import/deepspeed/Parts.h"
#include "frontend/import/settings/SettingsReader.h"
#include "support/diagnostics/Imports.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;
using namespace dpl::imports::deepspeed;

namespace {

constexpr const char* program = "DeepSpeed";

class DeepspeedPlanWriter {
public:
  DeepspeedPlanWriter(const ConfigurationImport& request, SettingValue root,
                      DiagnosticEngine& diags)
      : request(request), set(std::move(root), request.file, request.defines, diags), diags(diags) {
  }

  FailureOr<std::string> run() {
    set.ignore(request.ignore);
    sizes();
    PlanFile out;
    out.source = request.sources.name(request.file).str();
    out.cluster = request.cluster, out.nodes = nodes, out.gpus = gpus;
    modelInto(out);
    out.mesh = meshText();
    out.layout = layoutText();
    if (total > 0)
      out.run = runOf(fmt::format("steps = {}step", total));
    out.remarks += unknownKeys(); // before `rest`, which would refuse these keys
    out.remarks += set.rest({deepspeed::withoutEffect(), defaults(), {}});
    if (!set.finish())
      return LogicalResult::failure();
    if (request.settings)
      *request.settings = set.written();
    return out.text();
  }

private:
  /// Marks a part as read if the file switches it off.
  void withoutEffect(const std::string& part) {
    const SettingValue *on = set.peek(part + ".enabled"), *device = set.peek(part + ".device");
    if ((on && on->isFalse()) || (device && device->text == "none"))
      set.markRead(part);
  }

  /// Comment lines about keys that DeepSpeed does not know and therefore ignores. Keys that
  /// misspell a batch size or degree are left out, because they are reported later.
  std::string unknownKeys() {
    std::string keys;
    for (const SettingEntry& entry : set.peek("")->entries)
      if (!isKnownPart(entry.key) && !set.misspellsASize(entry.key)) {
        keys += (keys.empty() ? "`" : ", `") + entry.key + "`";
        set.markRead(entry.key);
      }
    return keys.empty() ? "" : remark("DeepSpeed does not support, and ignores, " + keys);
  }

  void sizes() {
    nodes = set.defined("NNODES", "on how many nodes it starts");
    gpus = set.defined("NPROC_PER_NODE", "how many processes a node starts");
    pipeline = set.definedOr("PIPELINE", 1);
    const std::uint64_t automatic = set.count("tensor_parallel.autotp_size", 1); // 0 is off
    tensor = set.definedOr("TENSOR", std::max<std::uint64_t>(automatic, 1));
    context = set.count("sequence_parallel_size", 1, 1);
    expert = set.definedOr("EXPERT", set.count("expert_parallel.autoep_size", 1, 1));
    const std::uint64_t inside = std::min(pipeline, most) * std::min(tensor, most) *
                                 std::min(context, most),
                        world = std::min(nodes, most) * std::min(gpus, most);
    if (world % inside != 0)
      set.refused(
          undivided(world,
                    {{"tensor_parallel.autotp_size", tensor}, {"sequence_parallel_size", context}},
                    [&](const char* degree) { return set.has(degree); }),
          program,
          fmt::format("{} processes are not a multiple of pipeline × tensor × context = {}", world,
                      inside));
    data = std::max<std::uint64_t>(world / inside, 1);
    stage = set.count("zero_optimization.stage", 0);
    if (stage > 3)
      set.wrong("zero_optimization.stage", "0, 1, 2 or 3");
    if (stage > 1 && pipeline > 1)
      set.refused(
          "zero_optimization.stage", program,
          fmt::format("ZeRO stage {} in a pipeline (AssertionError when it starts)", stage));
  }

  void modelInto(PlanFile& out) {
    if (!request.model) {
      (void)diags
          .report<diag::ImportMissing>(SourceRange{request.file, 0, 1}, "which model it trains")
          .help(
              "`--as models.llama3_8b` names one of the library, `--as config.json` one of Hugging "
              "Face");
      return;
    }
    out.declaration = request.model->declaration, out.model = request.model->name;
    if (const std::uint64_t length = set.definedOr("CONTEXT", 0)) {
      out.declaration +=
          fmt::format("model imported from {} {{ context = {}tok }}\n\n", out.model, length);
      out.model = "imported";
    }
  }

  std::string meshText() {
    std::string mesh;
    const auto axis = [&](const char* name, std::uint64_t size) {
      if (size > 1)
        mesh += fmt::format("    {} = {}\n", name, size);
    };
    axis("pipeline", pipeline), axis("data", data), axis("context", context),
        axis("tensor", tensor);
    if (expert > 1)
      mesh += fmt::format("    experts {{ data = rest, expert = {}, tensor = {} }}\n", expert,
                          pipeline > 1 ? tensor : 1);
    return mesh;
  }

  std::string layoutText() {
    fields.line("framework", "deepspeed");
    batchText();
    recomputeText();
    precisionText(); // this sets the bytes per element of gradient buckets
    shardText();
    optimizerText();
    return fields.release();
  }

  /// Writes the batch. Any two of batch, micro-batch and accumulation steps determine the third. If
  /// only the batch or only the micro-batch is set, there is one accumulation step.
  void batchText() {
    const std::uint64_t before = diags.errors();
    std::uint64_t whole = set.count("train_batch_size", 0, 1),
                  micro = set.count("train_micro_batch_size_per_gpu", 0, 1);
    const std::uint64_t times = countIfSet("gradient_accumulation_steps", 0, 1);
    if (micro == 0)
      micro = whole / data / std::max<std::uint64_t>(times, 1);
    if (whole == 0)
      whole = micro * data * std::max<std::uint64_t>(times, 1);
    if (set.hasMissing() || diags.errors() > before)
      return;
    if (whole == 0)
      return set.wrong("train_batch_size", "a whole number of at least 1, or "
                                           "train_micro_batch_size_per_gpu");
    const bool folds = expert > 1 && tensor > 1; // DeepSpeed then compares with the world size
    if (!folds && (micro == 0 || whole % micro != 0 || whole / micro % data != 0 ||
                   (times != 0 && whole / micro / data != times)))
      set.refused("train_batch_size", program,
                  fmt::format("a batch of {} is not{} micro-batches of {} on {} data ranks "
                              "(AssertionError when it reads its configuration)",
                              whole, times == 0 ? " a whole number of" : fmt::format(" {}", times),
                              micro, data));
    fields.line("batch", fmt::format("{}seq", whole));
    fields.line("micro_batch", fmt::format("{}seq", std::max<std::uint64_t>(micro, 1)));
  }

  void recomputeText() {
    const std::uint64_t interval = set.count("pipeline.activation_checkpoint_interval", 0);
    const std::string given = set.definition("RECOMPUTE");
    if (set.flag("activation_checkpointing.cpu_checkpointing", false))
      set.unsupported("activation_checkpointing.cpu_checkpointing");
    if (interval > 0 && pipeline > 1)
      fields.line("recompute",
                  interval == 1 ? "full" : fmt::format("full {{ layers = {} }}", interval));
    else if (given == "full" || given == "selective")
      fields.line("recompute", given);
    else if (!given.empty() && given != "none")
      (void)diags.report<diag::ImportValue>(SourceRange{}, "--define RECOMPUTE", given,
                                            "none, selective or full");
  }

  void shardText() {
    std::string shards;
    const auto add = [&](const std::string& text) {
      shards += (shards.empty() ? "" : ", ") + text;
    };
    if (stage >= 3)
      add("parameters = data");
    if (stage >= 2)
      add("gradients = data");
    if (stage >= 1)
      add("optimizer = data");
    const bool sends = set.flag("pipeline.pipe_partitioned", true),
               gradients = set.flag("pipeline.grad_partitioned", true);
    if (pipeline > 1 && tensor > 1)
      add(sends && gradients ? "messages = tensor" : "messages = none");
    if (set.definition("SEQUENCE") == "tensor")
      add("sequence = tensor");
    if (!shards.empty())
      fields.block("shard", shards);
    for (const char* part : {"zero_hpz_partition_size", "mics_shard_size"})
      if (const std::string path = fmt::format("zero_optimization.{}", part);
          set.has(path) && set.value(path)->text != "1" && set.value(path)->text != "-1")
        set.unsupported(path);
    offloadText();
    overlapText();
    const std::uint64_t bucket = countIfSet("zero_optimization.reduce_bucket_size", 0);
    if (stage > 0 && pipeline == 1 && bucket * width >= std::uint64_t{1} << 20)
      fields.line("gradient_bucket_size", fmt::format("{}B", bucket * width));
  }

  /// Writes ZeRO-Offload. In ZeRO stages 2 and 3 it also sums gradients in host memory.
  void offloadText() {
    const auto there = [&](const std::string& part) {
      withoutEffect(part);
      const SettingValue* device = set.peek(part + ".device");
      if (!device || device->text != "cpu" || stage == 0)
        return false;
      set.markRead(part + ".device");
      return true;
    };
    const bool parameters = there("zero_optimization.offload_param");
    if (!there("zero_optimization.offload_optimizer"))
      return parameters ? set.unsupported("zero_optimization.offload_param") : void();
    const double share = set.real("zero_optimization.offload_optimizer.ratio", 1);
    fields.line("offload.optimizer", number(share));
    if (share == 1 && stage > 1)
      fields.line(parameters ? "offload.parameters" : "offload.gradients", "true");
  }

  void overlapText() {
    const bool comm = set.flag("zero_optimization.overlap_comm", stage == 3);
    const std::uint64_t prefetch = countIfSet("zero_optimization.stage3_prefetch_bucket_size", 1);
    // A pipeline reduces all gradients at the end. Without sharding nothing overlaps either.
    fields.line("overlap.gradients", truth(comm && stage > 0 && pipeline == 1));
    if (stage > 0)
      fields.line("overlap.parameters", truth(stage == 3 && comm && prefetch > 0));
    if (pipeline > 1)
      fields.line("overlap.pipeline", "false");
    if (set.flag("tensor_parallel.tp_overlap_comm", false) && tensor > 1)
      fields.line("overlap.tensor", "true");
  }

  static std::string named(const std::string& theirs) {
    return theirs == "bfloat16"  ? "bf16"
           : theirs == "float16" ? "fp16"
           : theirs == "float32" ? "fp32"
                                 : theirs;
  }
  std::string type(const std::string& path, const std::string& otherwise) {
    if (const SettingValue* given = set.peek(path);
        given && llvm::StringRef(given->text).startswith("torch.")) {
      SettingValue type = *given;
      type.text.erase(0, type.text.find('.') + 1);
      set.replace(path, std::move(type));
    }
    return named(set.choice(path, otherwise,
                            {"fp32", "fp16", "bf16", "bfp16", "float32", "float16", "bfloat16"}));
  }

  void precisionText() {
    std::string own = "fp32";
    if (set.open("bf16.enabled") || set.open("fp16.enabled")) { // Transformers accepts "auto" here
      set.markRead("bf16.enabled"), set.markRead("fp16.enabled");
      own = set.definedChoice("PRECISION", "in which format it computes", {"bf16", "fp16", "fp32"});
    } else {
      const bool brain = set.flag("bf16.enabled", set.flag("bfloat16.enabled", false));
      const bool half = set.flag("fp16.enabled", false);
      own = brain ? "bf16" : half ? "fp16" : "fp32";
      if (brain && half)
        set.refused("fp16.enabled", program,
                    "bf16 and fp16 exclude each other (AssertionError when it reads its "
                    "configuration)");
    }
    const bool bf16 = own == "bf16";
    const bool casts = set.flag("torch_autocast.enabled", false);
    const std::string compute = casts ? type("torch_autocast.dtype", "bfloat16") : own;
    const std::string gradients = type("data_types.grad_accum_dtype", own);
    const std::string reduce = type("communication_data_type", own);
    width = reduce == "fp32" ? 4 : 2;
    const bool narrow = bf16 && set.flag("bf16.bf16_master_weights_and_grads", false);
    const bool moments = bf16 && set.flag("bf16.bf16_optimizer_states", false);
    fields.block(
        "precision",
        fmt::format("compute = {}, parameters = {}, gradients = {}, reduce = {}, master_weights = "
                    "{}, moments = {}",
                    compute, own, gradients, reduce,
                    own == "fp32" ? "none"
                    : narrow      ? "bf16"
                                  : "fp32",
                    moments ? "bf16" : "fp32"));
  }

  /// The kind of optimizer. Case is ignored, as in DeepSpeed (runtime/config.py,
  /// get_optimizer_name).
  std::string optimizerKind() {
    const char* path = "optimizer.type";
    const std::string given = set.text(path, "AdamW");
    for (const char* known : {"Adam", "AdamW", "FusedAdam", "SGD"})
      if (llvm::StringRef(given).equals_insensitive(known))
        return known;
    set.unsupported(path, "Adam, AdamW and SGD are read");
    return "AdamW";
  }

  void optimizerText() {
    const std::string kind = optimizerKind();
    const std::string rate = rateText();
    const std::string params = "optimizer.params.";
    if (kind == "SGD") {
      (void)realIfSet(params + "weight_decay");
      const std::string momentum =
          number(realIfSet(params + "momentum", NumberRange::Share).value_or(0));
      return fields.line("optimizer", fmt::format("sgd {{ momentum = {}{} }}", momentum, rate));
    }
    double beta1 = 0.9, beta2 = 0.999;
    if (const SettingValue* betas = set.value(params + "betas"); betas && betas->text != "auto")
      if (betas->entries.size() != 2 ||
          llvm::StringRef(betas->entries[0].value.text).getAsDouble(beta1) ||
          llvm::StringRef(betas->entries[1].value.text).getAsDouble(beta2) ||
          !contains(NumberRange::Share, beta1) || !contains(NumberRange::Share, beta2))
        set.wrong(params + "betas", "two numbers of at least 0 and below 1");
    const double decay = realIfSet(params + "weight_decay").value_or(0);
    // DeepSpeed's Adam is AdamW by default.
    const bool decoupled = set.flag(params + "adam_w_mode", true);
    const std::string text = fmt::format("beta1 = {}, beta2 = {}", number(beta1), number(beta2));
    fields.line("optimizer",
                decoupled || kind == "AdamW"
                    ? fmt::format("adamw {{ {}, weight_decay = {}{} }}", text, number(decay), rate)
                    : fmt::format("adam {{ {}{} }}", text, rate));
  }

  /// Whether the value is "auto", which Transformers fills in. It is not a missing input if the
  /// setting only affects learning, or hardly affects the time.
  bool automatic(const std::string& path) {
    const SettingValue* found = set.value(path);
    return found && found->text == "auto";
  }
  /// The value of a setting; none if the file does not set it.
  std::optional<double> realIfSet(const std::string& path,
                                  NumberRange range = NumberRange::NotNegative) {
    if (automatic(path) || !set.has(path))
      return std::nullopt;
    return set.real(path, 0, range);
  }
  std::uint64_t countIfSet(const std::string& path, std::uint64_t otherwise,
                           std::uint64_t least = 0) {
    return automatic(path) ? otherwise : set.count(path, otherwise, least);
  }

  std::string rateText() {
    const std::string params = "scheduler.params.";
    const std::optional<double> rate = realIfSet("optimizer.params.lr"),
                                warmest = realIfSet(params + "warmup_max_lr"),
                                peak = warmest ? warmest : rate;
    const std::string kind =
        set.choice("scheduler.type", "", {"WarmupLR", "WarmupDecayLR", "WarmupCosineLR"});
    const std::uint64_t warmup = countIfSet(params + "warmup_num_steps", 0);
    total = countIfSet(params + "total_num_steps", 0);
    const double share = realIfSet(params + "cos_min_ratio").value_or(0.0001);
    if (!(kind == "WarmupCosineLR" ? rate : peak))
      return "";
    if (kind == "WarmupCosineLR")
      return fmt::format(", lr = cosine {{ peak = {}, end = {}, warmup = {}step }}", number(*rate),
                         product(*rate, share), warmup);
    if (kind == "WarmupDecayLR")
      return fmt::format(", lr = linear {{ peak = {}, end = 0.0, warmup = {}step }}", number(*peak),
                         warmup);
    return fmt::format(", lr = constant {{ value = {}, warmup = {}step }}", number(*peak), warmup);
  }

  static constexpr std::uint64_t most = 1'000'000; ///< limit on nodes, devices and degrees
  const ConfigurationImport& request;
  SettingsReader set;
  DiagnosticEngine& diags;
  BlockText fields;
  std::uint64_t nodes = 1, gpus = 1, pipeline = 1, tensor = 1, context = 1, data = 1, expert = 1,
                stage = 0, total = 0, width = 4;
};

} // namespace

FailureOr<std::string> dpl::imports::deepspeedConfiguration(const ConfigurationImport& request,
                                                            DiagnosticEngine& diags) {
  FailureOr<SettingValue> root = readJson(request.sources, request.file, diags);
  if (root.failed())
    return LogicalResult::failure();
  return DeepspeedPlanWriter(request, std::move(*root), diags).run();
}

//===- Import.cpp - Converts NeMo and Megatron-Bridge YAML to a .dpl file ---------------------===//
//
// NeMo and Megatron-Bridge run Megatron Core. Their settings are converted to options of
// Megatron-LM, which are then imported as a launch.
#include "frontend/import/megatron/Import.h"
#include "frontend/import/Configuration.h"
#include "frontend/import/PlanFile.h"
#include "frontend/import/SettingPath.h"
#include "frontend/import/nemo/Interpolation.h"
#include "frontend/import/nemo/WithoutEffect.h"
#include "frontend/import/settings/SettingsReader.h"
#include "support/diagnostics/Imports.h"
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;

namespace {

struct SettingRow {
  enum class How { Value, When, Unless, Off } how;
  const char *path, *option;
};

constexpr SettingRow rows[] = {
#define VALUE(PATH, OPTION) {SettingRow::How::Value, PATH, OPTION},
#define WHEN(PATH, OPTION) {SettingRow::How::When, PATH, OPTION},
#define UNLESS(PATH, OPTION) {SettingRow::How::Unless, PATH, OPTION},
#define OFF(PATH) {SettingRow::How::Off, PATH, ""},
#include "frontend/import/nemo/Settings.def"
};

class Translator {
public:
  Translator(const ConfigurationImport& request, SettingValue root, DiagnosticEngine& diags)
      : request(request), set(std::move(root), request.file, request.defines, diags) {}

  FailureOr<std::string> run(DiagnosticEngine& diags) {
    set.ignore(request.ignore);
    for (const char* path : {"name", "exp_manager.name", "model.name"})
      if (const SettingValue* name = set.peek(path);
          name && megatron::namesAnotherModel(name->text)) {
        (void)diags.report<diag::ImportRefused>(
            set.range(path), "the import",
            fmt::format("`{}` is not a decoder; the import reads only NeMo's GPT models",
                        name->text));
        break;
      }
    bridge = set.has("train") || set.has("ddp") || set.has("scheduler");
    for (const SettingRow& row : rows)
      translate(row);
    length();
    attention();
    activation();
    positions();
    recomputation();
    precision();
    optimizer();
    sizes();
    const std::string remarks =
        set.rest({nemo::withoutEffect(), bridge ? nemo::bridgeDefaults() : nemo::defaults(), {}});
    const LaunchImport launch{request.sources, request.file,   request.defines, {},
                              false,           request.cluster};
    names.emplace("--seq-length", bridge ? "model.seq_length" : "model.encoder_seq_length");
    for (const SettingRow& row : rows) // settings that the file does not have
      if (*row.option != '\0')
        names.emplace(row.option, row.path);
    FailureOr<std::string> out = megatron::launchOfOptions(
        launch, {words, nodes, gpus, remarks, !set.hasMissing(), names}, diags);
    if (request.settings)
      *request.settings = set.written();
    return set.finish(false) ? std::move(out) : LogicalResult::failure();
  }

private:
  void add(const std::string& option, SourceRange at) {
    words.push_back({option, at, nullptr});
    const llvm::StringRef key = request.sources.text(at.file).slice(at.begin, at.end);
    if (llvm::StringRef(option).startswith("--") && at.begin > 0)
      names[option] = key.trim("'\"").str();
  }
  void add(const std::string& option, const std::string& value, SourceRange at) {
    add(option, at), add(value, at);
  }
  /// Adds an option with the value of a setting. If the value is not known, it becomes a missing
  /// input.
  void addValue(const std::string& option, const std::string& path) {
    const SourceRange at = set.range(path);
    const auto unknown = set.unknown(path);
    if (!unknown)
      return add(option, set.text(path, ""), at);
    auto doubt = std::make_shared<shell::Doubt>();
    doubt->at = at, doubt->outside = true;
    std::tie(doubt->variable, doubt->what) = *unknown;
    add(option, at);
    words.push_back({unknown->second, at, doubt});
  }

  static bool isNothing(const SettingValue& value) {
    return value.isFalse() || value.text == "0" || value.text == "0.0" ||
           (value.kind == SettingValue::SettingKind::Text && value.text.empty()) ||
           ((value.kind == SettingValue::SettingKind::List ||
             value.kind == SettingValue::SettingKind::Table) &&
            value.entries.empty());
  }

  /// Whether a value of 0 is an error. For other options it stands for the default.
  static bool isNeeded(llvm::StringRef option) {
    return megatron::isSizeOption(option) || option == "--num-layers" ||
           option == "--hidden-size" || option == "--num-attention-heads" ||
           option == "--vocab-size";
  }

  void translate(const SettingRow& row) {
    if (!set.has(row.path))
      return set.markRead(row.path);
    const SettingValue& value = *set.value(row.path);
    switch (row.how) {
    case SettingRow::How::Value:
      if (value.kind == SettingValue::SettingKind::List) {
        add(row.option, value.at);
        std::string list; // the value is a list: "4096,0" for a window
        for (const SettingEntry& entry : value.entries)
          if (llvm::StringRef(row.option) == "--window-size")
            list += (list.empty() ? "" : ",") + entry.value.text;
          else
            add(entry.value.text, value.at);
        if (!list.empty())
          add(list, value.at);
      } else if (value.kind == SettingValue::SettingKind::Truth ||
                 value.kind == SettingValue::SettingKind::Table) {
        set.wrong(row.path, "a number or a string");
      } else if (!value.text.empty() && (value.text != "0" || isNeeded(row.option))) {
        addValue(row.option, row.path);
      }
      return;
    case SettingRow::How::When:
    case SettingRow::How::Unless:
      if (set.flag(row.path, false) == (row.how == SettingRow::How::When))
        add(row.option, value.at);
      return;
    case SettingRow::How::Off:
      if (!isNothing(value))
        set.unsupported(row.path);
      return;
    }
  }

  /// Adds the sequence length: `encoder_seq_length` of NeMo, or that of Megatron-Bridge's data.
  void length() {
    for (const char* path : {"model.encoder_seq_length", "model.seq_length", "dataset.seq_length",
                             "dataset.sequence_length", "model.data.seq_length"})
      if (set.has(path)) {
        addValue("--seq-length", path);
        if (!set.has("model.max_position_embeddings"))
          addValue("--max-position-embeddings", path);
        break;
      }
    for (const char* path : {"model.seq_length", "model.encoder_seq_length"})
      set.markRead(path);
  }

  void attention() {
    if (const std::uint64_t groups = set.count("model.num_query_groups", 0)) {
      add("--group-query-attention", set.range("model.num_query_groups"));
      add("--num-query-groups", std::to_string(groups), set.range("model.num_query_groups"));
    }
    (void)set.choice("model.attention_type", "multihead", {"multihead"});
    // Only Falcon's layer reads these settings.
    const char* parallel = "model.mcore_customization_config.parallel_attention";
    if (set.text("model.name", "") == "megatron_falcon_gpt" && set.flag(parallel, false))
      set.unsupported(parallel);
    set.markRead("model.mcore_customization_config");
    (void)set.choice("model.transformer_block_type", "pre_ln", {"pre_ln"});
    const char* path = "model.normalization";
    const std::string norm = set.choice(
        path, "layernorm", {"rmsnorm", "RMSNorm", "layernorm", "LayerNorm", "layernorm1p"});
    add("--normalization",
        llvm::StringRef(norm).startswith_insensitive("rms") ? "RMSNorm" : "LayerNorm",
        set.range(path));
    if (norm == "layernorm1p" && !set.flag("model.layernorm_zero_centered_gamma", false))
      add("--apply-layernorm-1p", set.range(path));
    if (set.has("model.virtual_pipeline_model_parallel_size"))
      if (const std::uint64_t chunks = set.count("model.virtual_pipeline_model_parallel_size", 1);
          chunks > 1)
        add("--num-virtual-stages-per-pipeline-rank", std::to_string(chunks),
            set.range("model.virtual_pipeline_model_parallel_size"));
    const char* overlaps = "model.overlap_p2p_comm";
    if (!set.flag(overlaps, bridge))
      add("--no-overlap-p2p-communication", set.range(overlaps));
  }

  /// Adds the activation. NeMo has one word, Megatron-Bridge a function and a flag for the gate.
  void activation() {
    const char* path = "model.activation";
    const char *own = "model.activation_func", *gate = "model.gated_linear_unit";
    std::string kind = set.choice(
        path, "gelu", {"gelu", "geglu", "fast-geglu", "swiglu", "fast-swiglu", "squared-relu"});
    if (bridge) {
      const SettingValue* function = set.value(own);
      const SettingValue* target = function ? function->find("_target_") : nullptr;
      const std::string name = target ? target->text : function ? function->text : "gelu";
      const llvm::StringRef word = llvm::StringRef(name).substr(name.rfind('.') + 1);
      const bool gated = set.flag(gate, false);
      if (gated && (word == "silu" || !function))
        kind = "swiglu";
      else if (gated && (word == "gelu" || word == "fast_gelu"))
        kind = "geglu";
      else if (!gated && (word == "gelu" || word == "squared_relu"))
        kind = word == "gelu" ? "gelu" : "squared-relu";
      else
        set.unsupported(
            own, "gates are read with silu and gelu, plain parts with gelu and squared_relu");
    }
    const bool fused = set.flag("model.bias_activation_fusion", true);
    const SourceRange at = set.range(bridge ? own : path);
    if (llvm::StringRef(kind).endswith("swiglu"))
      add("--swiglu", at);
    else if (llvm::StringRef(kind).endswith("geglu"))
      add("--geglu", at);
    else if (kind == "squared-relu")
      add("--squared-relu", at);
    if (!fused)
      add(llvm::StringRef(kind).endswith("swiglu") ? "--no-bias-swiglu-fusion"
                                                   : "--no-bias-gelu-fusion",
          set.range("model.bias_activation_fusion"));
  }

  void positions() {
    const char* path = "model.position_embedding_type";
    add("--position-embedding-type",
        llvm::StringRef(set.choice(path, "learned_absolute",
                                   {"learned_absolute", "rope", "yarn", "alibi", "ALiBi", "none"}))
            .lower(),
        set.range(path));
  }

  /// Adds recomputation, whose settings have other names in NeMo. If no granularity is set, nothing
  /// is recomputed.
  void recomputation() {
    const std::string words_ = bridge ? "model.recompute_" : "model.activations_checkpoint_";
    const std::string kind = set.choice(words_ + "granularity", "", {"full", "selective"});
    const SourceRange at = set.range(words_ + "granularity");
    if (!kind.empty())
      add("--recompute-granularity", kind, at);
    for (const char* part : {"method", "num_layers", "modules"}) {
      const std::string path = words_ + part;
      const SettingValue* found = set.value(path);
      std::string option = std::string("--recompute-") + part;
      std::replace(option.begin(), option.end(), '_', '-');
      if (!found || kind.empty() || (kind == "full") == (option == "--recompute-modules"))
        continue;
      if (found->kind != SettingValue::SettingKind::List) {
        addValue(option, path);
        continue;
      }
      add(option, found->at);
      for (const SettingEntry& entry : found->entries)
        add(entry.value.text, found->at);
    }
  }

  /// Refuses precisions in Megatron-Bridge's recipes that differ from those of the model.
  void repeatedPrecision(bool bf16, bool fp16) {
    const char* other = "it is not the precision of the model";
    const std::pair<const char*, bool> flags[] = {{"optimizer.bf16", bf16},
                                                  {"optimizer.fp16", fp16}};
    for (const auto& [path, value] : flags)
      if (set.peek(path) && set.flag(path, false) != value)
        set.unsupportedByDefault(path, other);
    const llvm::StringRef type = bf16 ? "bfloat16" : fp16 ? "float16" : "float32";
    for (const char* path : {"model.params_dtype", "optimizer.params_dtype"})
      if (set.peek(path) && lastWord(set.text(path, "")) != type)
        set.unsupportedByDefault(path, other);
  }

  /// Adds the precision: `trainer.precision` of NeMo with 16-bit weights (megatron_amp_O2), or the
  /// name of Megatron-Bridge's recipe.
  void precision() {
    const char* path = bridge ? "mixed_precision" : "trainer.precision";
    const SettingValue* recipe = set.value(path);
    const bool flags = recipe && recipe->kind == SettingValue::SettingKind::Table;
    const std::string said = recipe && !flags ? set.text(path, "") : "";
    const llvm::StringRef text = said;
    const auto says = [&](const char* flag) {
      return set.flag(std::string("model.") + flag, false) ||
             (flags && set.flag(fmt::format("{}.{}", path, flag), false));
    };
    const bool fp16 = text.startswith("16") || text.contains("fp16") || says("fp16");
    const bool bf16 = text.contains("bf16") || says("bf16");
    const SourceRange at = set.range(path);
    if (bf16 || fp16)
      add(bf16 ? "--bf16" : "--fp16", at);
    else if (!text.empty() && !text.startswith("32"))
      set.wrong(path, "bf16, 16 or 32");
    if (!bridge && (bf16 || fp16) && !set.flag("model.megatron_amp_O2", false))
      set.unsupportedByDefault("model.megatron_amp_O2", "weights in 16 bits, `true`, are read");
    if (bridge)
      repeatedPrecision(bf16, fp16);
    const char* fp8 = "model.fp8";
    const SettingValue* eight = set.value(fp8);
    const bool named = eight && (eight->text == "e4m3" || eight->text == "hybrid");
    const bool e4m3 = set.flag("model.fp8_e4m3", false);
    (void)set.flag("model.fp8_hybrid", false);
    if (named ||
        (eight && eight->kind == SettingValue::SettingKind::Truth && eight->text == "true"))
      add("--fp8-format", named ? eight->text : e4m3 ? "e4m3" : "hybrid", set.range(fp8));
    else if (text.contains("fp8"))
      set.unsupportedByDefault(path, "`model.fp8` sets the format of fp8");
  }

  void optimizer() {
    const char* name = "model.optim.name";
    const std::string kind =
        set.choice(name, "mcore_distributed_optim",
                   {"mcore_distributed_optim", "distributed_fused_adam", "fused_adam", "adamw"});
    const bool inDdp = set.flag("ddp.use_distributed_optimizer", false),
               inOptimizer = set.flag("optimizer.use_distributed_optimizer", false);
    const bool shards =
        bridge ? inDdp || inOptimizer : llvm::StringRef(kind).contains("distributed");
    if (shards)
      add("--use-distributed-optimizer",
          set.range(bridge ? "ddp.use_distributed_optimizer" : name));
    const bool wide = bridge ? set.flag("ddp.grad_reduce_in_fp32", false)
                             : set.choice("model.optim.grad_sync_dtype", "fp32",
                                          {"fp32", "bf16", "float32", "bfloat16"}) != "bf16";
    if (!wide)
      add("--grad-reduce-in-bf16", set.range("model.optim.grad_sync_dtype"));
    if (set.flag("ddp.use_megatron_fsdp", false))
      add("--use-megatron-fsdp", set.range("ddp.use_megatron_fsdp"));
    if (const SettingValue* betas = set.value("model.optim.betas");
        betas && betas->entries.size() == 2) {
      add("--adam-beta1", betas->entries[0].value.text, betas->at);
      add("--adam-beta2", betas->entries[1].value.text, betas->at);
    }
    if (bridge)
      return;
    const SettingValue* schedule = set.value("model.optim.sched.name");
    add("--lr-decay-style", schedule && schedule->text == "CosineAnnealing" ? "cosine" : "constant",
        set.range("model.optim.sched.name"));
    if (schedule && schedule->text != "CosineAnnealing")
      set.markRead("model.optim.sched");
    const double warmup = set.real("model.optim.sched.warmup_steps", 0);
    if (warmup >= 1)
      add("--lr-warmup-iters", std::to_string(static_cast<std::uint64_t>(warmup)),
          set.range("model.optim.sched.warmup_steps"));
    if (set.count("trainer.accumulate_grad_batches", 1) != 1)
      set.wrong("trainer.accumulate_grad_batches", "1: the batch is that of the model");
  }

  void sizes() {
    const auto processes = [&](const char* definition, const char* path) { // else missing inputs
      return set.definedOr(definition, set.unknown(path) ? 0 : set.count(path, 0));
    };
    nodes = processes("NNODES", "trainer.num_nodes");
    gpus = processes("NPROC_PER_NODE", "trainer.devices");
  }

  const ConfigurationImport& request;
  SettingsReader set;
  shell::ShellWords words;
  std::map<std::string, std::string> names; ///< key in the file for each option
  std::uint64_t nodes = 0, gpus = 0;
  bool bridge = false;
};

} // namespace

FailureOr<std::string> dpl::imports::nemoConfiguration(const ConfigurationImport& request,
                                                       DiagnosticEngine& diags) {
  FailureOr<SettingValue> root = readYaml(request.sources, request.file, diags);
  if (root.failed())
    return LogicalResult::failure();
  nemo::interpolate(*root);
  return Translator(request, std::move(*root), diags).run(diags);
}

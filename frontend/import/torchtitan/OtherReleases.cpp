//===- OtherReleases.cpp - Converts other releases of torchtitan to release 0.2 ---------------===//
//
// Source: the history of torchtitan/config_manager.py and torchtitan/distributed/pipeline.py of
// pytorch/torchtitan up to v0.2.0.
#include "frontend/import/torchtitan/OtherReleases.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;
using SettingKind = SettingValue::SettingKind;

namespace {

SettingValue text(std::string held, SourceRange at) {
  SettingValue out;
  out.kind = SettingKind::Text, out.text = std::move(held), out.at = at;
  return out;
}

/// The first argument without a name of a call; null if there is none.
const SettingValue* firstOf(const SettingValue& call) {
  return call.entries.empty() || !call.entries.front().key.empty() ? nullptr
                                                                   : &call.entries.front().value;
}

class Normalizer {
public:
  /// `folder` is the name of the model whose registry is in the folder of the file.
  Normalizer(PythonModule& module, std::string folder, DiagnosticEngine& diags)
      : module(module), folder(std::move(folder)), diags(diags) {}

  FailureOr<SettingValue> run(const std::string& function) {
    FailureOr<SettingValue> read = module.returned(function);
    if (read.failed())
      return read;
    if (read->kind != SettingKind::Call || !llvm::StringRef(read->text).endswith("Config"))
      return diags.report<diag::NotAConfiguration>(
          read->at, fmt::format("`{}` returns no `Config` that can be read as data", function));
    out = std::move(*read);
    out.kind = SettingKind::Table;
    model();
    activations();
    optimizer();
    stages();
    SettingValue& compile = out.place("compile");
    if (const SettingValue* overlaps = compile.find("enable_async_tensor_parallel"))
      out.place("parallelism").place("enable_async_tensor_parallel") = *overlaps;
    return std::move(out);
  }

private:
  /// Reads `model_registry("8B", converters=[…])` of torchtitan.models.llama3.
  void model() {
    const SettingValue spec = out.place("model_spec");
    if (spec.kind != SettingKind::Call || spec.text != "model_registry")
      return; // `model.flavor` then becomes a missing input
    SettingValue& table = out.place("model");
    table.kind = SettingKind::Table, table.at = spec.at;
    std::string name = module.moduleOf("model_registry");
    name.erase(0, name.rfind('.') + 1);
    table.place("name") = text(name.empty() ? folder : name, spec.at);
    if (const SettingValue* flavor = firstOf(spec))
      table.place("flavor") = *flavor;
    for (const SettingEntry& argument : spec.entries) {
      if (argument.key == "converters")
        converters(argument.value, table.place("converters"));
      else if (!argument.key.empty())
        table.place(argument.key) = argument.value;
    }
    out.place("model_spec") = {};
  }

  void converters(const SettingValue& list, SettingValue& into) {
    into.kind = SettingKind::List, into.at = list.at;
    for (const SettingEntry& item : list.entries) {
      const bool float8 =
          item.value.kind == SettingKind::Call && item.value.text == "Float8LinearConverter.Config";
      into.entries.push_back(
          {"", text(float8 ? "quantize.linear.float8" : item.value.text, item.value.at)});
      SettingValue& linear = out.place("quantize").place("linear").place("float8");
      for (const SettingEntry& argument : item.value.entries)
        if (float8 && !argument.key.empty())
          linear.place(argument.key) = argument.value;
      if (float8 && !linear.find("recipe_name")) // the default of release 0.3
        linear.place("recipe_name") = text("rowwise", item.value.at);
    }
    out.place("quantize").kind = out.place("quantize").place("linear").kind =
        out.place("quantize").place("linear").place("float8").kind = SettingKind::Table;
  }

  void activations() {
    const SettingValue* policy = out.find("activation_checkpoint");
    std::string mode = "selective";
    SourceRange at = out.at;
    if (policy) {
      at = policy->at;
      mode = policy->kind == SettingKind::Null                                      ? "none"
             : policy->kind == SettingKind::Call && policy->text == "FullAC.Config" ? "full"
             : policy->kind == SettingKind::Call && policy->text == "SelectiveAC.Config"
                 ? "selective"
                 : policy->text;
    }
    SettingValue table;
    table.kind = SettingKind::Table, table.at = at;
    table.place("mode") = text(mode, at);
    table.place("selective_ac_option") = text("op", at);
    out.place("activation_checkpoint") = std::move(table);
  }

  /// Reads `default_adamw(lr=8e-4)`, or a container with one group that contains all parameters.
  void optimizer() {
    const SettingValue* given = out.find("optimizer");
    if (!given)
      return;
    SettingValue table;
    table.kind = SettingKind::Table, table.at = given->at;
    const SettingValue* arguments = given;
    if (given->kind == SettingKind::Call && given->text == "default_adamw") {
      table.place("name") = text("AdamW", given->at);
      if (const SettingValue* rate = firstOf(*given))
        table.place("lr") = *rate;
    } else {
      const SettingValue* groups = given->find("param_groups");
      if (!groups || groups->entries.size() != 1)
        return; // several optimizers are unsupported
      const SettingValue& group = groups->entries.front().value;
      if (const SettingValue* name = group.find("optimizer_name"))
        table.place("name") = *name;
      arguments = group.find("optimizer_kwargs");
    }
    const std::vector<SettingEntry> none;
    for (const SettingEntry& entry : arguments ? arguments->entries : none) {
      if (entry.key == "betas" && entry.value.entries.size() == 2) {
        table.place("beta1") = entry.value.entries[0].value;
        table.place("beta2") = entry.value.entries[1].value;
      } else if (!entry.key.empty()) {
        table.place(entry.key) = entry.value;
      }
    }
    out.place("optimizer") = std::move(table);
  }

  /// Expands `*layers(0, 7)`, by which `dplc emit torchtitan` writes the names of seven layers.
  void stages() {
    constexpr llvm::StringLiteral body = "return [f\"layers.{i}\" for i in range(first, end)]";
    SettingValue* parallelism = &out.place("parallelism");
    if (!parallelism->find("module_fqns_per_model_part") || module.bodyOf("layers") != body)
      return;
    for (SettingEntry& stage : parallelism->place("module_fqns_per_model_part").entries) {
      std::vector<SettingEntry> names;
      for (SettingEntry& item : stage.value.entries) {
        if (const auto range = rangeOf(item.value)) {
          for (std::uint64_t i = range->first; i < range->second; ++i)
            names.push_back({"", text(fmt::format("layers.{}", i), item.value.at)});
        } else {
          names.push_back(std::move(item));
        }
      }
      stage.value.entries = std::move(names);
    }
  }

  static std::optional<std::pair<std::uint64_t, std::uint64_t>> rangeOf(const SettingValue& item) {
    constexpr std::uint64_t most = 10'000;
    if (item.kind != SettingKind::Spread)
      return std::nullopt;
    const SettingValue& call = item.entries.front().value;
    std::uint64_t first = 0, end = 0;
    if (call.kind != SettingKind::Call || call.text != "layers" || call.entries.size() != 2 ||
        llvm::StringRef(call.entries[0].value.text).getAsInteger(10, first) ||
        llvm::StringRef(call.entries[1].value.text).getAsInteger(10, end) || end > most)
      return std::nullopt;
    return std::pair(first, end);
  }

  PythonModule& module;
  std::string folder;
  DiagnosticEngine& diags;
  SettingValue out;
};

struct RenamedSetting {
  const char *theirs, *ours;
};

constexpr RenamedSetting renamedSettings[] = {
    {"training.batch_size", "training.local_batch_size"},
    {"training.data_parallel_replicate_degree", "parallelism.data_parallel_replicate_degree"},
    {"training.data_parallel_shard_degree", "parallelism.data_parallel_shard_degree"},
    {"training.tensor_parallel_degree", "parallelism.tensor_parallel_degree"},
    {"training.sequence_parallel_degree", "parallelism.tensor_parallel_degree"}, // sets tensor too
    {"training.pipeline_parallel_degree", "parallelism.pipeline_parallel_degree"},
    {"training.context_parallel_degree", "parallelism.context_parallel_degree"},
    {"training.expert_parallel_degree", "parallelism.expert_parallel_degree"},
    {"training.fsdp_reshard_after_forward", "parallelism.fsdp_reshard_after_forward"},
    {"training.disable_loss_parallel", "parallelism.disable_loss_parallel"},
    {"training.enable_async_tensor_parallel", "parallelism.enable_async_tensor_parallel"},
    {"training.warmup_steps", "lr_scheduler.warmup_steps"},
    {"training.compile", "compile.enable"},
    {"experimental.pipeline_parallel_degree", "parallelism.pipeline_parallel_degree"},
    {"experimental.pipeline_parallel_schedule", "parallelism.pipeline_parallel_schedule"},
    {"experimental.pipeline_parallel_schedule_csv", "parallelism.pipeline_parallel_schedule_csv"},
    {"experimental.pipeline_parallel_microbatches", "parallelism.pipeline_parallel_microbatches"},
    {"experimental.pipeline_parallel_split_points", "parallelism.pipeline_parallel_split_points"},
    {"experimental.pipeline_parallel_layers_per_stage",
     "parallelism.pipeline_parallel_layers_per_stage"},
    {"experimental.context_parallel_degree", "parallelism.context_parallel_degree"},
    {"experimental.context_parallel_rotate_method", "parallelism.context_parallel_rotate_method"},
    {"experimental.tensor_parallel_degree", "parallelism.tensor_parallel_degree"},
    {"experimental.enable_async_tensor_parallel", "parallelism.enable_async_tensor_parallel"},
    {"lr_scheduler.lr_min", "lr_scheduler.min_lr_factor"},
    {"float8.recipe_name", "quantize.linear.float8.recipe_name"},
    {"float8.filter_fqns", "quantize.linear.float8.filter_fqns"},
};

/// Float8 flags of the earliest releases, which later became a converter.
constexpr const char* eights[] = {"training.enable_fp8_linear", "training.enable_float8_linear",
                                  "float8.enable_float8_linear"};
} // namespace

FailureOr<SettingValue> dpl::imports::torchtitan::normalized(const SourceManager& sources,
                                                             std::uint32_t file,
                                                             const std::string& wanted,
                                                             DiagnosticEngine& diags) {
  PythonModule module(sources, file, diags);
  if (module.read().failed())
    return LogicalResult::failure();
  std::vector<std::string> configurations; // functions that return a model, or call such a function
  for (const std::string& name : module.functions()) {
    const std::string body = module.bodyOf(name);
    if (body.find("model_registry(") != std::string::npos ||
        body.find("Config(") != std::string::npos)
      configurations.push_back(name);
  }
  if (!wanted.empty() && !llvm::is_contained(module.functions(), wanted))
    return diags
        .report<diag::NotAConfiguration>({file, 0, 1},
                                         fmt::format("there is no function `{}`", oneLine(wanted)))
        .help(
            didYouMean(nearNames(wanted, configurations), "name one with `--define CONFIG=NAME`"));
  if (wanted.empty() && configurations.size() != 1) {
    constexpr std::size_t shown = 8;
    std::vector<std::string> some(configurations.begin(),
                                  configurations.begin() + std::min(shown, configurations.size()));
    auto report = diags.report<diag::ImportMissing>(
        {file, 0, 1}, configurations.empty() ? "a configuration: no function returns one"
                                             : fmt::format("which of its {} configurations it is",
                                                           configurations.size()));
    if (configurations.empty())
      return report;
    return std::move(report).help(fmt::format("`--define CONFIG=NAME` chooses one: {}{}",
                                              fmt::join(some, ", "),
                                              configurations.size() > shown ? ", …" : ""));
  }
  const llvm::StringRef path = sources.name(file);
  const llvm::StringRef parent = path.take_front(path.contains('/') ? path.rfind('/') : 0);
  return Normalizer(module, parent.substr(parent.rfind('/') + 1).str(), diags)
      .run(wanted.empty() ? configurations.front() : wanted);
}

torchtitan::EarlierBehaviour dpl::imports::torchtitan::readEarlierNames(SettingsReader& set) {
  EarlierBehaviour out;
  out.batch = set.has("training.batch_size");
  // One degree was the number of all data ranks, and `data_parallel_type` set whether they shard.
  const bool copies = set.text("training.data_parallel_type", "fsdp") == "ddp";
  (void)set.rename("training.data_parallel_degree",
                   copies ? "parallelism.data_parallel_replicate_degree"
                          : "parallelism.data_parallel_shard_degree");
  for (const RenamedSetting& name : renamedSettings)
    (void)set.rename(name.theirs, name.ours);
  // All values that end in `rmsnorm` are kernels for the RMS norm. Other norms are unsupported.
  if (const std::string norm = set.text("model.norm_type", "rmsnorm");
      !llvm::StringRef(norm).endswith("rmsnorm"))
    set.unsupported("model.norm_type", "the models of torchtitan are read with RMS norms");
  for (const char* flag : eights)
    if (set.has(flag) && set.flag(flag, false) && !set.has("model.converters")) {
      SettingValue list;
      list.kind = SettingKind::List, list.at = set.range(flag);
      list.entries.push_back({"", text("float8", list.at)});
      set.replace("model.converters", std::move(list));
    }
  return out;
}

std::vector<std::uint64_t> dpl::imports::torchtitan::earlierStages(std::uint64_t stages,
                                                                   std::uint64_t layers) {
  if (stages == 0 || stages > layers)
    return {};
  std::vector<std::uint64_t> out(stages, layers / stages);
  std::uint64_t more = layers % stages;
  for (std::size_t i = 1; i + 1 < stages && more > 0; ++i, --more)
    ++out[i];
  out.back() += more;
  return out;
}

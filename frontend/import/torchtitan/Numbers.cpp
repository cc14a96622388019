//===- Numbers.cpp - Precision and optimizer of a torchtitan configuration --------------------===//
#include "frontend/import/torchtitan/Numbers.h"
#include "frontend/import/PlanFile.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;

namespace {

/// The float8 recipe of linear layers, which is set by a converter; empty if there is none.
std::string recipeOf(SettingsReader& set) {
  const SettingValue* converters = set.value("model.converters");
  if (!converters)
    return "";
  std::string out;
  for (const SettingEntry& item : converters->entries)
    if (item.value.text == "float8" || item.value.text == "quantize.linear.float8")
      out =
          set.choice("quantize.linear.float8.recipe_name", "tensorwise", {"tensorwise", "rowwise"});
    else
      set.unsupported(
          "model.converters",
          fmt::format("of {} only float8 of linear layers is supported", item.value.text));
  return out;
}

std::string rateText(SettingsReader& set, std::string& remarks) {
  const double peak = set.real("optimizer.lr", 8e-4, NumberRange::NotNegative);
  const std::uint64_t warmup = set.count("lr_scheduler.warmup_steps", 200);
  const bool held = set.has("lr_scheduler.decay_ratio");
  const double ratio = set.real("lr_scheduler.decay_ratio", 1);
  const std::string kind =
      set.choice("lr_scheduler.decay_type", "linear", {"linear", "sqrt", "cosine"});
  const std::string end =
      product(peak, set.real("lr_scheduler.min_lr_factor", 0, NumberRange::NotNegative));
  if (held && ratio == 0)
    return fmt::format(", lr = constant {{ value = {}, warmup = {}step }}", number(peak), warmup);
  if (held)
    remarks += remark("The learning rate stays at its peak before it decays");
  if (kind == "sqrt") {
    remarks += remark("The learning rate decays by a root, which is left out");
    return "";
  }
  return fmt::format(", lr = {} {{ peak = {}, end = {}, warmup = {}step }}", kind, number(peak),
                     end, warmup);
}

} // namespace

void dpl::imports::torchtitan::precisionText(SettingsReader& set, bool mixes, BlockText& fields) {
  const bool narrow =
      set.choice("training.dtype", "float32", {"float32", "bfloat16"}) == "bfloat16";
  const bool mixed = set.choice("training.mixed_precision_param", "bfloat16",
                                {"bfloat16", "float32"}) == "bfloat16";
  const bool narrowSums = set.choice("training.mixed_precision_reduce", "float32",
                                     {"float32", "bfloat16"}) == "bfloat16";
  std::string text = fmt::format(
      "compute = {0}, parameters = {1}, gradients = {1}, reduce = {2}, master_weights = none, "
      "moments = {1}",
      narrow || (mixed && mixes) ? "bf16" : "fp32", narrow ? "bf16" : "fp32",
      narrowSums && mixes ? "bf16" : "fp32");
  const SettingValue* filtered = set.value("quantize.linear.float8.filter_fqns");
  if (const std::string recipe = recipeOf(set); !recipe.empty()) {
    text.replace(0, text.find(','), "compute = fp8, recipe = " + recipe);
    const bool wideHead = filtered && llvm::any_of(filtered->entries, [](const SettingEntry& e) {
                            return e.value.text == "output" || e.value.text == "lm_head";
                          });
    if (!wideHead)
      text += ", module[\"head\"] { compute = fp8 }";
  }
  fields.block("precision", text);
  // If a converter is absent, its settings have no effect.
  for (const char* path : {"quantize.linear.float8.recipe_name", "quantize.linear.mx",
                           "quantize.grouped_mm", "quantize.dense", "quantize.moe"})
    set.markRead(path);
}

void dpl::imports::torchtitan::optimizerText(SettingsReader& set, BlockText& fields,
                                             std::string& remarks) {
  const std::string kind = set.text("optimizer.name", "AdamW");
  const bool decays = kind != "Adam";
  if (kind != "Adam" && kind != "AdamW")
    set.unsupported("optimizer.name", "AdamW and Adam are read");
  if (set.value("optimizer.param_groups"))
    set.unsupported("optimizer.param_groups", "one optimizer of all parameters is read");
  const double decay = set.real("optimizer.weight_decay", 0.1, NumberRange::NotNegative);
  std::string text = fmt::format("beta1 = {}, beta2 = {}",
                                 number(set.real("optimizer.beta1", 0.9, NumberRange::Share)),
                                 number(set.real("optimizer.beta2", 0.95, NumberRange::Share)));
  if (decays)
    text += ", weight_decay = " + number(decay);
  if (set.has("optimizer.lr") || set.has("lr_scheduler"))
    text += rateText(set, remarks);
  fields.line("optimizer", fmt::format("{} {{ {} }}", decays ? "adamw" : "adam", text));
}

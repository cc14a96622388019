//===- FineTuningFiles.cpp - Frozen weights, adapters and documents for a training script -----===//
#include "backends/FineTuningFiles.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;

namespace {
/// The names of a module's linear layers in transformers: those of latent attention are DeepSeek's.
std::vector<std::string> linearLayers(ir::AdapterModule module, bool latent, bool compressed) {
  if (latent && module == ir::AdapterModule::Query && compressed)
    return {"q_a_proj", "q_b_proj"};
  if (latent && module == ir::AdapterModule::Key)
    return {"kv_a_proj_with_mqa"};
  if (latent && module == ir::AdapterModule::Value)
    return {"kv_b_proj"};
  return {ir::name(module)};
}
} // namespace

void dpl::addFineTuning(const ir::Plan& plan, Json& out) {
  if (const ir::FineTuning* tuning = plan.layout.fineTuningOrNull()) {
    Json frozen = Json::array();
    for (const ir::ModelPart part : tuning->frozen)
      frozen.push_back(ir::name(part));
    out["frozen"] = std::move(frozen);
    out["frozen_weights"] = {{"format", ir::name(tuning->format)}};
    if (tuning->format == ir::FrozenFormat::NF4)
      out["frozen_weights"]["double_quantization"] = tuning->doubleQuantization;
  }
  if (!plan.layout.documents.empty()) {
    const ir::Documents& documents = plan.layout.documents.front();
    out["documents"] = {{"mean_length", documents.length}, {"packed", documents.packed}};
  }
}

void dpl::addFineTuningDuties(const ir::Plan& plan, std::vector<std::string>& duties) {
  const ir::FineTuning* tuning = plan.layout.fineTuningOrNull();
  if (tuning && tuning->quantizes())
    duties.push_back(
        fmt::format("load the model by transformers with BitsAndBytesConfig({})",
                    tuning->format == ir::FrozenFormat::Int8
                        ? "load_in_8bit=True"
                        : fmt::format("load_in_4bit=True, bnb_4bit_quant_type=\"nf4\", "
                                      "bnb_4bit_use_double_quant={}",
                                      tuning->doubleQuantization ? "True" : "False")));
  if (tuning && tuning->adapters.empty())
    duties.push_back("set requires_grad to False for the weights of `frozen`");
  if (tuning && !tuning->adapters.empty())
    duties.push_back("wrap the model by peft.get_peft_model with the LoraConfig of "
                     "adapter_config.json, before it is sharded");
  if (!plan.layout.documents.empty())
    duties.push_back(plan.layout.documents.front().packed
                         ? "fill each sequence with documents of `documents`, and keep attention "
                           "inside each, as flash_attention_2 does from position_ids"
                         : "pad each document of `documents` to a sequence");
}

void dpl::addAdapterConfig(const ir::Plan& plan, std::vector<EmittedFile>& files) {
  const ir::FineTuning* tuning = plan.layout.fineTuningOrNull();
  if (!tuning || tuning->adapters.empty())
    return;
  const ir::Adapters& lora = tuning->adapters.front();
  const auto latent = llvm::find_if(plan.model.layerTypes, [](const ir::LayerType& c) {
    return c.attention.kind == ir::AttentionKind::Latent;
  });
  const bool isLatent = latent != plan.model.layerTypes.end();
  Json modules = Json::array();
  for (const ir::AdapterModule module : lora.modules)
    for (const std::string& name :
         linearLayers(module, isLatent, isLatent && latent->attention.queryRank > 0))
      modules.push_back(name);
  const Json config{
      {"peft_type", "LORA"},
      {"task_type", plan.model.kind == "encoder" ? "FEATURE_EXTRACTION" : "CAUSAL_LM"},
      {"r", lora.rank},
      {"lora_alpha", lora.alpha},
      {"lora_dropout", lora.dropout},
      {"target_modules", modules},
      {"bias", "none"},
      {"inference_mode", false}};
  files.push_back({"adapter_config.json", textOf(config), false});
}

#pragma once
//===- Flavors.h - The models of torchtitan, by name and flavor -------------------------------===//
#include "ir/Model.h"
#include "support/Release.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::torchtitan {

/// Dimensions of every multi-head latent attention.
constexpr std::uint64_t kvRank = 512, plainPart = 128, rotaryPart = 64, valuePart = 128;

/// A row of Flavors.def, which sets the members in this order. All models are decoders with RMS
/// norms, rotary positions and gated MLPs. They have no biases, except those with a window.
struct Flavor {
  const char* model;  ///< `[model] name`, the module in 0.3
  const char* flavor; ///< "70B"
  ReleaseRange releases;
  std::uint64_t layers = 0;
  std::uint64_t leadingDense = 0; ///< layers before the first one with experts
  std::uint64_t hidden = 0, vocab = 0, heads = 0;
  /// Dimensions of grouped-query attention; MLA has kvHeads 0.
  std::uint64_t kvHeads = 0, headDim = 0, queryRank = 0;
  std::uint64_t width = 0; ///< width of the dense MLPs, or 0
  std::uint64_t experts = 0, active = 0, sharedWidth = 0, expertWidth = 0;
  bool tied = false, qkNorm = false;
  std::uint64_t longest = 0;  ///< longest sequence for which 0.3 has rotary positions
  bool flexAttention = false; ///< whether 0.2.2 has FlexAttention: no context parallelism

  /// Window of every other layer from the first, in tokens, or 0. With a window attention has
  /// sinks, all layers have biases, and gates are those of GPT-OSS.
  std::uint64_t window = 0;

  std::uint64_t windowOf(std::uint64_t layer) const { return layer % 2 == 0 ? window : 0; }
  std::uint64_t denseLayers() const { return experts == 0 ? layers : leadingDense; }
  bool latent() const { return kvHeads == 0; }
};

llvm::ArrayRef<Flavor> allFlavors();

/// The flavor with the dimensions of the model, or null if the release has none.
const Flavor* flavorOf(const ir::Model& model, const Release& release);

/// "the nearest, llama3 8B, has vocab 128256 (32000 here)": why flavorOf returns null.
std::string whyNoFlavor(const ir::Model& model, const Release& release);

/// The differences between the flavor and a model of the same dimensions in norms, positions and
/// routing, one sentence each.
std::vector<std::string> factDifferences(const Flavor& flavor, const ir::Model& model);

/// The flavor of that name in the release, or null.
const Flavor* flavorNamed(llvm::StringRef model, llvm::StringRef flavor, const Release& release);

/// The fields of the `models.decoder` block for the flavor, one per line, without `context`.
std::string fieldsOf(const Flavor& flavor);

} // namespace dpl::torchtitan

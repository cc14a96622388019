#pragma once
//===- Flavors.h - The models of torchtitan, by name and flavor -------------------------------===//
#include "ir/Model.h"
#include "support/Release.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::torchtitan {

/// Dimensions that all flavors with MLA have.
constexpr std::uint64_t kvRank = 512, plainPart = 128, rotaryPart = 64, valuePart = 128;

/// A row of Flavors.def, which sets the members in this order. All models are decoders with RMS
/// norms, rotary positions and gated MLPs. Only models with a window have biases.
struct Flavor {
  const char* model;  ///< name in `[model] name` of 0.2, and of the module in 0.3
  const char* flavor; ///< name of the flavor: "70B"
  ReleaseRange releases;
  std::uint64_t layers = 0;
  std::uint64_t leadingDense = 0; ///< number of layers before the first one with experts
  std::uint64_t hidden = 0, vocab = 0, heads = 0;
  /// Dimensions of grouped-query attention. For MLA, kvHeads is 0.
  std::uint64_t kvHeads = 0, headDim = 0, queryRank = 0;
  std::uint64_t width = 0; ///< width of the dense MLPs; 0 if there are none
  std::uint64_t experts = 0, active = 0, sharedWidth = 0, expertWidth = 0;
  bool tied = false, qkNorm = false;
  std::uint64_t longest = 0;  ///< longest sequence in tokens for which 0.3 has rotary positions
  bool flexAttention = false; ///< whether 0.2.2 uses FlexAttention, which excludes context
                              ///< parallelism

  /// Attention window of the first, third, fifth … layer, in tokens; 0 if there is none. Models
  /// with a window have attention sinks, biases in all layers, and the gates of GPT-OSS.
  std::uint64_t window = 0;

  std::uint64_t windowOf(std::uint64_t layer) const { return layer % 2 == 0 ? window : 0; }
  std::uint64_t denseLayers() const { return experts == 0 ? layers : leadingDense; }
  bool latent() const { return kvHeads == 0; }
};

llvm::ArrayRef<Flavor> allFlavors();

/// The flavor with the dimensions of a model; null if the release has none.
const Flavor* flavorOf(const ir::Model& model, const Release& release);

/// Why flavorOf returns null: "the nearest, llama3 8B, has vocab 128256 (32000 here)".
std::string whyNoFlavor(const ir::Model& model, const Release& release);

/// The differences in norms, positions and routing between a flavor and a model of the same
/// dimensions, one sentence each.
std::vector<std::string> factDifferences(const Flavor& flavor, const ir::Model& model);

/// The flavor with this name in the release; null if there is none.
const Flavor* flavorNamed(llvm::StringRef model, llvm::StringRef flavor, const Release& release);

/// The fields of a `models.decoder` block for a flavor, one per line, without `context`.
std::string fieldsOf(const Flavor& flavor);

} // namespace dpl::torchtitan

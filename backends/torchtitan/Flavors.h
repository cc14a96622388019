#pragma once
//===- Flavors.h - The models that torchtitan has, by name and flavor -------------------------===//
#include "ir/Model.h"
#include "support/Release.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::torchtitan {

/// Of every latent attention.
constexpr std::uint64_t kvRank = 512, plainPart = 128, rotaryPart = 64, valuePart = 128;

/// A row of Flavors.def, which names members in this order: the dimensions that a flavor fixes. All
/// are decoders with RMS norms, rotary positions and gated feed-forward parts, without biases but
/// for those with a window.
struct Flavor {
  const char* model;  ///< `[model] name`, the module in 0.3
  const char* flavor; ///< "70B"
  ReleaseRange releases;
  std::uint64_t layers = 0;
  std::uint64_t leadingDense = 0; ///< layers before the first one with experts
  std::uint64_t hidden = 0, vocab = 0, heads = 0;
  /// Of grouped attention; a latent one has kvHeads 0.
  std::uint64_t kvHeads = 0, headDim = 0, queryRank = 0;
  std::uint64_t width = 0; ///< of the dense feed-forward parts; 0 without any
  std::uint64_t experts = 0, active = 0, sharedWidth = 0, expertWidth = 0;
  bool tied = false, qkNorm = false;
  std::uint64_t longest = 0;  ///< tokens that 0.3 has rotary positions for
  bool flexAttention = false; ///< of 0.2.2, which cannot split its sequences over context

  /// Tokens that every other layer sees, from the first; then attention has sinks, all layers have
  /// biases, and gates are those of GPT-OSS. 0: none of it.
  std::uint64_t window = 0;

  std::uint64_t windowOf(std::uint64_t layer) const { return layer % 2 == 0 ? window : 0; }
  std::uint64_t denseLayers() const { return experts == 0 ? layers : leadingDense; }
  bool latent() const { return kvHeads == 0; }
};

llvm::ArrayRef<Flavor> allFlavors();

/// The flavor whose dimensions are those of the model; null when there is none in the release.
const Flavor* flavorOf(const ir::Model& model, const Release& release);

/// "the nearest, llama3 8B, has vocab 128256 (32000 here)": why flavorOf found none.
std::string whyNoFlavor(const ir::Model& model, const Release& release);

/// Where the flavor trains another model of the same dimensions, one sentence each: norms,
/// positions, routing.
std::vector<std::string> factDifferences(const Flavor& flavor, const ir::Model& model);

/// The flavor of that name in the release; null when there is none.
const Flavor* flavorNamed(llvm::StringRef model, llvm::StringRef flavor, const Release& release);

/// The fields of a `models.decoder` block that is the flavor, a line each, without `context`.
std::string fieldsOf(const Flavor& flavor);

} // namespace dpl::torchtitan

#pragma once
//===- ModelFields.h - Fields of a config.json except for sizes -------------------------------===//
#include "frontend/import/huggingface/Architectures.h"
#include "frontend/import/huggingface/JsonConfig.h"

namespace dpl::imports {

/// Sentences on what the language cannot express, for comments in the .dpl file.
using Notes = std::vector<std::string>;

/// The value of a boolean.
bool isSet(JsonConfig& config, const Flag& flag);

/// The name of the activation in the language.
std::string activationText(JsonConfig& config, const Architecture& a);
/// The fields of a `router`.
std::string routerText(JsonConfig& config, const RouterDefaults& defaults, Notes& notes);

/// The rotary base of the layers with a window; 0 if it is that of `positions`.
double windowBase(JsonConfig& config, const Architecture& a);

/// The fields for norms, positions, biases, initialization, embeddings and logits that differ from
/// the language's defaults.
std::vector<std::string> factLines(JsonConfig& config, const Architecture& a, std::uint64_t hidden,
                                   std::uint64_t headDim, Notes& notes);

/// Indices of the layers without a window, ascending; all if no layer has a window.
std::vector<std::uint64_t> wholeLayers(JsonConfig& config, const Architecture& a,
                                       std::uint64_t layers, std::uint64_t window);

/// Indices of the layers without experts, ascending.
std::vector<std::uint64_t> denseLayers(JsonConfig& config, const Experts& experts,
                                       std::uint64_t layers);

/// A number as the language writes it, always with a point.
std::string realText(double value);

} // namespace dpl::imports

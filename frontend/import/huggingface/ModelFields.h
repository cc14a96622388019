#pragma once
//===- ModelFields.h - What a config.json says of a model beside its shape
//---------------------===//
#include "frontend/import/huggingface/Architectures.h"
#include "frontend/import/huggingface/JsonConfig.h"

namespace dpl::imports {

/// What the language does not say, a sentence each, which the written file carries.
using Notes = std::vector<std::string>;

/// A value of a yes or no.
bool isSet(JsonConfig& config, const Flag& flag);

/// The name of an activation in the language.
std::string activationText(JsonConfig& config, const Architecture& a);
/// The fields of a `router`.
std::string routerText(JsonConfig& config, const RouterDefaults& defaults, Notes& notes);

/// Rotary base of the layers with a window, where it is another than that of `positions`, or these
/// have a scaling; 0: the same.
double windowBase(JsonConfig& config, const Architecture& a);

/// The fields that say norms, positions, biases, initialisation and what is done to embeddings and
/// logits, as far as they are not the language's defaults.
std::vector<std::string> factLines(JsonConfig& config, const Architecture& a, std::uint64_t hidden,
                                   std::uint64_t headDim, Notes& notes);

/// Numbers of the layers that attend to everything, ascending; all where no layer has a window.
std::vector<std::uint64_t> wholeLayers(JsonConfig& config, const Architecture& a,
                                       std::uint64_t layers, std::uint64_t window);

/// Numbers of the layers without experts, ascending.
std::vector<std::uint64_t> denseLayers(JsonConfig& config, const Experts& experts,
                                       std::uint64_t layers);

/// As the language writes it: always with a point.
std::string realText(double value);

} // namespace dpl::imports

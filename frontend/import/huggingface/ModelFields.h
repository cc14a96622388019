#pragma once
//===- ModelFields.h - Fields of a config.json except for sizes -------------------------------===//
#include "frontend/import/huggingface/Architectures.h"
#include "frontend/import/huggingface/JsonConfig.h"

namespace dpl::imports {

/// Sentences about what DPL cannot express, for comments in the .dpl file.
using Notes = std::vector<std::string>;

/// The value of a boolean in the file.
bool isSet(JsonConfig& config, const Flag& flag);

/// The name that the activation has in DPL.
std::string activationText(JsonConfig& config, const Architecture& a);
/// The fields of a `router`.
std::string routerText(JsonConfig& config, const RouterDefaults& defaults, Notes& notes);

/// The rotary base of layers with a window; 0 if it is the base in `positions`.
double windowBase(JsonConfig& config, const Architecture& a);

/// The fields about norms, positions, biases, initialization, embeddings and logits that differ
/// from DPL's defaults.
std::vector<std::string> factLines(JsonConfig& config, const Architecture& a, std::uint64_t hidden,
                                   std::uint64_t headDim, Notes& notes);

/// Indices of the layers without a window, in ascending order.
std::vector<std::uint64_t> wholeLayers(JsonConfig& config, const Architecture& a,
                                       std::uint64_t layers, std::uint64_t window);

/// Indices of the layers without experts, in ascending order.
std::vector<std::uint64_t> denseLayers(JsonConfig& config, const Experts& experts,
                                       std::uint64_t layers);

/// A number as DPL writes it, always with a point.
std::string realText(double value);
/// A count with its digits in groups of three from five digits on, "14_336", as the formatter
/// writes it.
std::string groupedDigits(std::uint64_t n);
/// Adds a field to a list separated by commas.
void appendField(std::string& out, const std::string& field);

} // namespace dpl::imports

#pragma once
//===- Telling.h - Keys of a config.json that tell of another kind of model -------------------===//
#include "imports/huggingface/Architectures.h"
#include "imports/huggingface/JsonConfig.h"

namespace dpl::imports {

/// A key of the file that a kind of model does not know, and the part of a model that it tells of.
struct Telling {
  std::string key;
  const char* part;
};

/// Keys that nobody read and that tell of routed experts, an indexer, linear attention, a state
/// space or layers that take turns, in the order of their names. What only trains or is switched
/// off tells of nothing.
std::vector<Telling> tellingKeys(const JsonConfig& config, const Architecture& a);

} // namespace dpl::imports

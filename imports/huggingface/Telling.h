#pragma once
//===- Telling.h - Keys of a config.json that show another kind of model ----------------------===//
#include "imports/huggingface/Architectures.h"
#include "imports/huggingface/JsonConfig.h"

namespace dpl::imports {

/// A key that this kind of model does not know, and the part of a model that the key shows.
struct Telling {
  std::string key;
  const char* part;
};

/// Unread keys that show routed experts, an indexer, linear attention, a state space or alternating
/// kinds of layers, sorted by name. Keys that only affect training and keys that are switched off
/// are left out.
std::vector<Telling> tellingKeys(const JsonConfig& config, const Architecture& a);

} // namespace dpl::imports

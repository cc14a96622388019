#pragma once
//===- TellingKeys.h - Keys of a config.json that the import does not read
//---------------------===//
#include "frontend/import/huggingface/Architectures.h"
#include "frontend/import/huggingface/JsonConfig.h"

namespace dpl::imports {

/// A key that this kind of model does not know, and the part of a model that the key shows.
struct TellingKey {
  std::string key;
  const char* part;
};

/// Unread keys that show routed experts, an indexer, linear attention, a state space or alternating
/// kinds of layers, sorted by name. Keys that only affect training and keys that are switched off
/// are left out.
std::vector<TellingKey> tellingKeys(const JsonConfig& config, const Architecture& a);

/// Keys of this kind of model that the file lacks, by every name that the import reads.
std::vector<std::string> absentKeys(const JsonConfig& config, const Architecture& a);
/// The absent keys that a key misspells by at most two letters.
std::vector<std::string> meantKeys(llvm::StringRef key, llvm::ArrayRef<std::string> absent);

/// Warns of each unread key that misspells a key which the file lacks. transformers also reads such
/// a file and takes the default, so that the warning is not an error.
void warnOfMisspeltKeys(const JsonConfig& config, const Architecture& a);

} // namespace dpl::imports

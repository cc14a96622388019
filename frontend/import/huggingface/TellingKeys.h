#pragma once
//===- TellingKeys.h - Keys of a config.json that show parts of a model -----------------------===//
#include "frontend/import/huggingface/Architectures.h"
#include "frontend/import/huggingface/JsonConfig.h"

namespace dpl::imports {

/// A key that the architecture does not have, and the part of a model that the key indicates.
struct TellingKey {
  std::string key;
  const char* part;
};

/// Keys that were not read and that indicate routed experts, an indexer, linear attention, a state
/// space model or alternating layer types, sorted by name. Keys that only affect training, or that
/// are switched off, are left out.
std::vector<TellingKey> tellingKeys(const JsonConfig& config, const Architecture& a);

/// Keys of the architecture that the file does not have, with each name that the import reads.
std::vector<std::string> absentKeys(const JsonConfig& config, const Architecture& a);
/// The absent keys that `key` misspells by at most two letters.
std::vector<std::string> meantKeys(llvm::StringRef key, llvm::ArrayRef<std::string> absent);

/// Warns about keys that were not read and that misspell an absent key. It is not an error, because
/// transformers accepts such a file and uses the default.
void warnOfMisspeltKeys(const JsonConfig& config, const Architecture& a);

} // namespace dpl::imports

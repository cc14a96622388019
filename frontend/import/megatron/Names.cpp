//===- Names.cpp - Names of options and scripts -----------------------------------------------===//
#include "frontend/import/megatron/LaunchOptions.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::imports::megatron;

/// The option is a size if its name is that of a degree, a batch size or a length.
bool dpl::imports::megatron::isSizeOption(llvm::StringRef option) {
  for (const char* end : {"-parallel-size", "-batch-size", "-degree", "-seq-length"})
    if (option.endswith(end))
      return true;
  return false;
}

bool dpl::imports::megatron::namesAnotherModel(llvm::StringRef name) {
  const std::string small = name.lower();
  return llvm::any_of(
      llvm::ArrayRef<const char*>{"bert",       "t5",     "ict",       "retro",      "realm",
                                  "vlm",        "vision", "vit",       "mamba",      "hybrid",
                                  "multimodal", "mimo",   "dino",      "biencoder",  "classif",
                                  "clip",       "neva",   "diffusion", "nerf",       "generat",
                                  "inference",  "server", "convert",   "preprocess", "evaluat"},
      [&](const char* other) { return llvm::StringRef(small).contains(other); });
}

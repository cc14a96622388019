//===- SettingPath.cpp - Paths of settings, such as "training.seq_len" ------------------------===//
#include "frontend/import/SettingPath.h"

llvm::StringRef dpl::imports::lastWord(llvm::StringRef path) {
  return path.substr(path.rfind('.') + 1);
}

bool dpl::imports::sameTable(llvm::StringRef a, llvm::StringRef b) {
  return a.rsplit('.').first == b.rsplit('.').first;
}

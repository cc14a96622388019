#pragma once
//===- Backend.h - What every target has in common ----------------------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include <string>
#include <vector>

namespace dpl {

/// One file of an emitted folder. The caller writes the folder whole or not at all.
struct EmittedFile {
  std::string path;        ///< relative to the folder, with '/'
  std::string contents;
  bool executable = false;
};

/// "dplc 0.1.0": the compiler and version that every generated file names.
std::string generatorName();

} // namespace dpl

#pragma once
//===- Backend.h - What every target has in common --------------------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include "support/FileIo.h"
#include <string>
#include <vector>

namespace dpl {

/// One file of an emitted folder; writeFolder writes all of them or none.
using EmittedFile = OutputFile;

/// "dplc 0.1.0": the compiler and version that every generated file names.
std::string generatorName();

} // namespace dpl

#pragma once
//===- Backend.h - What every target has in common --------------------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include "support/FileIo.h"
#include "support/Utf8.h"
#include <string>
#include <vector>

namespace dpl {

/// One file of an emitted folder; writeFolder writes all of them or none.
using EmittedFile = OutputFile;

/// "dplc 0.2.0": the compiler and version that every generated file names.
std::string generatorName();

/// "dense3d of llama3_70b.dpl, plan 0123456789abcdef": what every generated file begins with.
std::string subjectOf(const ir::Plan& plan);

/// Text as a string of JSON, YAML, TOML and Python, whose rules agree on what this writes. Bytes
/// that are not UTF-8 become U+FFFD.
std::string quoted(llvm::StringRef text);
/// Text as a string literal of C and C++: what is not printable ASCII becomes octal escapes, which,
/// unlike hexadecimal ones, end after three digits.
std::string cppString(llvm::StringRef text);
/// Text as one word of a POSIX shell; plain words stay as they are. NUL, which no word can hold, is
/// dropped.
std::string shellWord(llvm::StringRef text);

} // namespace dpl

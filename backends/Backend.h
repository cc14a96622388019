#pragma once
//===- Backend.h - Types and text functions that all targets use ------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include "support/FileIo.h"
#include "support/Utf8.h"
#include <string>
#include <vector>

namespace dpl {

/// One file of an emitted folder. writeFolder writes either all of them or none.
using EmittedFile = OutputFile;

/// The compiler and its version, "dplc 0.2.0". Every generated file names it.
std::string generatorName();

/// The plan that a file is generated from, "dense3d of llama3_70b.dpl, plan 0123456789abcdef".
/// Every generated file begins with it.
std::string subjectOf(const ir::Plan& plan);

/// Returns the text as a string literal that JSON, YAML, TOML and Python all accept. Bytes that are
/// not UTF-8 become U+FFFD.
std::string quoted(llvm::StringRef text);
/// Returns the text as a C++ string literal. Bytes that are not printable ASCII become octal
/// escapes, because these end after three digits and hexadecimal ones do not.
std::string cppString(llvm::StringRef text);
/// Returns the text as one word of a POSIX shell, quoted only if necessary. NUL bytes are dropped.
std::string shellWord(llvm::StringRef text);

} // namespace dpl

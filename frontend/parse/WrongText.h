#pragma once
//===- WrongText.h - Messages about characters and numbers that are none of the language ------===//
#include "support/Diagnostics.h"

namespace dpl {

/// One message for characters that touch, with what to write instead of those that people know from
/// other languages.
void reportUnknownCharacter(DiagnosticEngine& diags, SourceRange at, llvm::StringRef text);
/// A number and words that touch it: `0x10`, `12ab3`, `1_000_`.
void reportMalformedNumber(DiagnosticEngine& diags, SourceRange at, llvm::StringRef text);

} // namespace dpl

#pragma once
//===- BraceRepair.h - Braces that were forgotten or are not yet closed, for editors ----------===//
#include "frontend/parse/Tokens.h"

namespace dpl {

/// In each declaration whose brackets do not match, drops every `{` that cannot begin a block, and
/// adds the `}` of blocks that end by their indentation. The names around a half-typed block keep
/// their meaning by this. An added token is empty. Nothing is reported, because `joinLines` reports
/// the brackets of the text as it is.
std::vector<Token> withRepairedBraces(std::vector<Token> all, llvm::StringRef text);

} // namespace dpl

#pragma once
//===- NameMeaning.h - What a name in a file refers to ----------------------------------------===//
#include "support/SourceManager.h"
#include "llvm/ADT/StringRef.h"
#include <functional>

namespace dpl {

/// What a name was resolved to.
struct NameMeaning {
  enum class NameKind : std::uint8_t {
    Block,
    Field,
    Choice,
    Let,
    Param,
    Variable, ///< of a `for`
    Import,
    Schema,
    Figure ///< that a pass makes
  };
  NameKind kind = NameKind::Block;
  SourceRange declaration; ///< the name where it is declared; not located for a figure, a variable
  llvm::StringRef doc;     ///< the declaration's comment, without slashes
};

/// Hears of each name when it is resolved, of one that is read twice perhaps twice.
using NameListener = std::function<void(SourceRange use, const NameMeaning& meaning)>;

} // namespace dpl

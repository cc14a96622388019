#pragma once
//===- NameMeaning.h - Meaning of a name in a file --------------------------------------------===//
#include "support/SourceManager.h"
#include "llvm/ADT/StringRef.h"
#include <functional>

namespace dpl {

/// What a name in a file stands for.
struct NameMeaning {
  enum class NameKind : std::uint8_t {
    Block,
    Field,
    Choice,
    Let,
    Param,
    Variable, ///< variable of a `for`
    Import,
    Schema,
    Figure ///< figure that compiler passes compute
  };
  NameKind kind = NameKind::Block;
  SourceRange declaration; ///< place of the name in its declaration; invalid for figures and
                           ///< variables
  llvm::StringRef doc;     ///< doc comment of the declaration, without slashes
};

/// Receives each name when it is resolved. A name may be resolved more than once.
using NameListener = std::function<void(SourceRange use, const NameMeaning& meaning)>;

} // namespace dpl

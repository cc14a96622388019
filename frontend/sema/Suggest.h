#pragma once
//===- Suggest.h - Near names for messages ----------------------------------------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dpl::sema {

struct Suggestion {
  std::string
      help; ///< "did you mean `hidden`?", or the names there are; empty when nothing is near
  std::string edit; ///< the one name that was surely meant; else empty
};
/// At most three near names; all of them where there are at most eight.
Suggestion suggest(llvm::StringRef wrong, llvm::ArrayRef<llvm::StringRef> known);

} // namespace dpl::sema

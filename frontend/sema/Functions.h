#pragma once
//===- Functions.h - Functions of the language ------------------------------------------------===//
#include "llvm/ADT/ArrayRef.h"

namespace dpl::sema {

struct Signature {
  const char* name;
  unsigned least, most; ///< least and largest number of arguments
  const char* takes;    ///< argument types in words of messages
};
/// The functions, apart from those over the rows of a study (ir/RowFunctions.h).
llvm::ArrayRef<Signature> functions();

} // namespace dpl::sema

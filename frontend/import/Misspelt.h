#pragma once
//===- Misspelt.h - Option and setting names that an imported file misspells ------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// Finds the names of `known` that an unknown option or setting misspells. The words after the last
/// points may differ by one letter (two from 6 letters on, three from 9 on) or in case. Returns the
/// nearest names, or those of them in the same table if there are any. If no name is near, returns
/// the names that it shortens by whole words: "global-batch" for "global-batch-size".
std::vector<std::string> misspelt(llvm::StringRef name, llvm::ArrayRef<std::string> known);

/// The names of `known` with the same word after their last points and a table that `name`
/// misspells: "parallelism.tensor_degree" for "paralelism.tensor_degree".
std::vector<std::string> misspeltTables(llvm::StringRef name, llvm::ArrayRef<std::string> known);

/// "did you mean `a`?" for an unknown option or setting that sizes the run: a name that it
/// misspells, else a name with the same words; "" if there is none.
std::string meantSize(llvm::StringRef name, llvm::ArrayRef<std::string> sizes);

} // namespace dpl::imports

#pragma once
//===- Misspelt.h - Sizes of a run whose names an imported file misspells ---------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// The names of `known` that an unknown option or setting misspells: the words after their last
/// points differ by one letter, by two from 6 letters on, by three from 9 on, or in upper and lower
/// case. The nearest ones, and of these the ones of the same table if there are any. If no name is
/// that near, the names that it shortens by whole words: "global-batch" for "global-batch-size".
std::vector<std::string> misspelt(llvm::StringRef name, llvm::ArrayRef<std::string> known);

/// The names of `known` with the same word after their last points and a table that `name`
/// misspells: "parallelism.tensor_degree" for "paralelism.tensor_degree".
std::vector<std::string> misspeltTables(llvm::StringRef name, llvm::ArrayRef<std::string> known);

/// "did you mean `a`?" for an unknown option or setting that sizes the run: names that it
/// misspells, else names with the same words. "" if there are none.
std::string meantSize(llvm::StringRef name, llvm::ArrayRef<std::string> sizes);

} // namespace dpl::imports

#pragma once
//===- Misspelt.h - Option and setting names that an imported file misspells ------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// Finds the names of `known` that an unknown option or setting misspells. The words after the last
/// points may differ in case, and by one letter (two from 6 letters on, three from 9 on). Returns
/// the nearest names. If some of them are of the same table as `name`, returns only these. If no
/// name is near, returns the names that contain all its words and more: "global-batch-size" for
/// "global-batch".
std::vector<std::string> misspelt(llvm::StringRef name, llvm::ArrayRef<std::string> known);

/// The known names that have the same word after the last point, in a table whose name is misspelt:
/// "parallelism.tensor_degree" for "paralelism.tensor_degree".
std::vector<std::string> misspeltTables(llvm::StringRef name, llvm::ArrayRef<std::string> known);

/// The question "did you mean `a`?" about an unknown option or setting that sets a size. It names a
/// size that is misspelt, otherwise one with the same words. Empty if there is none.
std::string meantSize(llvm::StringRef name, llvm::ArrayRef<std::string> sizes);

} // namespace dpl::imports

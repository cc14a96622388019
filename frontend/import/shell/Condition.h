#pragma once
//===- Condition.h - Tests of a shell over values that are known ------------------------------===//
#include "frontend/import/shell/ShellVariables.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::imports::megatron {

/// A pattern of a shell as fnmatch takes it, in which what was quoted stands for itself; nothing
/// where it has an expansion.
std::optional<std::string> unquoted(llvm::StringRef text);

/// `[ … ]`, `[[ … ]]`, and one of these whose right side was made a pattern.
enum class Brackets { Single, Double, Patterns };

/// What stands between the brackets, as true or false. Nothing where a value is not known, or the
/// test asks for what the file does not say (whether a path exists) or for what may be a pattern.
std::optional<bool> holds(llvm::ArrayRef<ShellWord> test, Brackets brackets);

} // namespace dpl::imports::megatron

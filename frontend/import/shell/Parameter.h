#pragma once
//===- Parameter.h - Values that `${NAME…}` of a shell makes of a known value -----------------===//
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace dpl::imports::shell {

/// The value after an operation `#pattern`, `##pattern`, `%pattern`, `%%pattern`, `/pattern/text`
/// or its variants, `^`, `^^`, `,`, `,,` or `:offset:length`. Returns none for other operations,
/// and for values above a length limit.
std::optional<std::string> changed(llvm::StringRef value, llvm::StringRef operation);

} // namespace dpl::imports::shell

#pragma once
//===- Parameter.h - Values that `${NAME…}` of a shell makes of a known value -----------------===//
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace dpl::imports::shell {

/// The value after `#pattern`, `##pattern`, `%pattern`, `%%pattern`, `/pattern/text` and its
/// variants, `^`, `^^`, `,`, `,,` or `:offset:length`. Returns nothing for other operators and for
/// values that are longer than the limit.
std::optional<std::string> changed(llvm::StringRef value, llvm::StringRef operation);

} // namespace dpl::imports::shell

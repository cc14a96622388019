#pragma once
//===- Parameter.h - What `${NAME…}` of a shell makes of a value that is known ----------------===//
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace dpl::imports::shell {

/// The value after `#pattern`, `##pattern`, `%pattern`, `%%pattern`, `/pattern/text` with its
/// relatives, `^`, `^^`, `,`, `,,` or `:offset:length`. Nothing for another operator, and where the
/// value is longer than what a name or a list of options takes.
std::optional<std::string> changed(llvm::StringRef value, llvm::StringRef operation);

} // namespace dpl::imports::shell

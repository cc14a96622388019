#pragma once
//===- Mistakes.h - What is wrong with a command line, in our words ---------------------------===//
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <vector>

namespace dpl::tool {

struct Mistake {
  std::string text, help;
};

/// A command line that CLI11 does not take, as far as it came.
struct Unparsed {
  std::string kind, text;           ///< CLI11's name of the error and its sentence
  std::string command;              ///< empty when it came to none
  std::vector<std::string> options; ///< of the command, with `--`
  std::vector<std::string> extras;  ///< arguments that nothing takes
};

/// CLI11's sentence in the form of our own messages.
Mistake explained(const Unparsed& line);

/// A wrong name of the command, which CLI11 reports badly or not at all; nothing when it is right.
/// `arguments` follow the program's name, and there is at least one.
std::optional<Mistake> wrongCommand(llvm::ArrayRef<const char*> arguments,
                                    const std::vector<std::string>& commands);
/// `--run= plan.ir`: CLI11 takes the next word for the value.
std::optional<Mistake> emptyValue(llvm::ArrayRef<const char*> arguments);

} // namespace dpl::tool

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

/// A command line that CLI11 refuses, with the parts that it had parsed.
struct Unparsed {
  std::string kind, text;           ///< CLI11's name of the error and its sentence
  std::string command;              ///< empty if none was parsed
  std::vector<std::string> options; ///< options of the command, with `--`
  std::vector<std::string> extras;  ///< arguments that no option accepts
};

/// The error of CLI11 in the form of our own messages.
Mistake explained(const Unparsed& line);

/// The error for a wrong name of a command, which CLI11 reports badly or not at all; empty if the
/// name is right. `arguments` follow the program's name, and there is at least one.
std::optional<Mistake> wrongCommand(llvm::ArrayRef<const char*> arguments,
                                    const std::vector<std::string>& commands);
/// The error for an empty value, such as `--run= plan.ir`, for which CLI11 takes the next word.
std::optional<Mistake> emptyValue(llvm::ArrayRef<const char*> arguments);

} // namespace dpl::tool

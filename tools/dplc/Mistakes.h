#pragma once
//===- Mistakes.h - Errors of a command line as messages of dplc ------------------------------===//
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

/// The error of CLI11 in the words of dplc's own messages.
Mistake explained(const Unparsed& line);

/// The error for a wrong command name, which CLI11 reports badly or not at all; empty if the name
/// is right. `arguments` are the words after the program's name, at least one.
std::optional<Mistake> wrongCommand(llvm::ArrayRef<const char*> arguments,
                                    const std::vector<std::string>& commands);
/// The error for an empty value, such as `--run= plan.ir`, where CLI11 takes the next word as the
/// value; empty if there is no such value.
std::optional<Mistake> emptyValue(llvm::ArrayRef<const char*> arguments);

} // namespace dpl::tool

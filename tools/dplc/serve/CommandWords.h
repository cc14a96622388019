#pragma once
//===- CommandWords.h - The parameters of a request as a command line -------------------------===//
#include "tools/dplc/serve/Job.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::tool {

/// A method that runs a command of dplc. Its other parameters are the options of the command.
struct CommandMethod {
  const char* name;
  const char* command;
  const char* summary;
  /// Words that follow the command: "--json".
  std::vector<const char*> words;
  /// Parameters that become arguments, in order; `files` and `targets` are lists.
  std::vector<const char*> arguments;
  /// Parameters of another name, which are needed: `path` is the option `why`.
  std::vector<std::pair<const char*, const char*>> renamed = {};
};

/// The methods of `dplc serve` that run a command.
llvm::ArrayRef<CommandMethod> commandMethods();
const CommandMethod* commandMethod(llvm::StringRef name);

/// Parameters that every method has: `text`, `directory`, `limits`, `progress`.
bool isCommonParameter(llvm::StringRef name);

/// `{"set": {"pod.nodes": 64}, "rank": true}` as `--set=pod.nodes=64 --rank`. A member false or
/// null is left out, and a list repeats its option. Empty, and `mistake` has the reason, if a
/// value has no such form.
std::optional<std::vector<std::string>> commandLineOf(const CommandMethod& method,
                                                      const Json& params, std::string& mistake);

/// Runs a command line and takes what it would print.
void runWords(const std::vector<std::string>& words, Answer& answer,
              const Progress::Listener& progress);

/// Reads the common parameters into a job; false, and `mistake` has the reason, if one is wrong.
bool readCommonParameters(const Json& params, Job& job, std::string& mistake);

} // namespace dpl::tool

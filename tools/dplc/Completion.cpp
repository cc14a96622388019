//===- Completion.cpp - The completion scripts of bash, fish and zsh --------------------------===//
#include "backends/Target.h"
#include "support/Diagnostics.h"
#include "tools/dplc/CommandLine.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The words that can be an argument of a command.
std::vector<std::string> argumentsOf(const std::string& command,
                                     const std::vector<CommandWords>& commands) {
  std::vector<std::string> words;
  if (command == "import")
    words.assign(std::begin(importKinds), std::end(importKinds));
  if (command == "completion")
    words.assign(std::begin(completionShells), std::end(completionShells));
  if (command == "help")
    for (const CommandWords& other : commands)
      words.push_back(other.name);
  if (command == "emit")
    for (const Target* target : allTargets())
      words.emplace_back(target->name);
  if (command == "explain") {
    words.emplace_back("units");
    for (const DiagInfo& row : allDiagnostics())
      if (row.severity != Severity::Note)
        words.emplace_back(row.code);
  }
  return words;
}

/// A text between single quotes, as fish reads them.
std::string quotedForFish(llvm::StringRef text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + "'";
}

std::string fishScript(const std::vector<CommandWords>& commands) {
  std::string out = "# fish completion for dplc\n"
                    "function __dplc_command_is\n"
                    "    set -l words (commandline -opc)\n"
                    "    test \"$words[2]\" = \"$argv[1]\"\n"
                    "end\n"
                    "complete -c dplc -n '__dplc_command_is \"\"' -l help -l version\n";
  for (const CommandWords& command : commands) {
    out += fmt::format("complete -c dplc -f -n '__dplc_command_is \"\"' -a {} -d {}\n",
                       command.name, quotedForFish(command.description));
    const std::string start =
        fmt::format("complete -c dplc -n '__dplc_command_is {}'", command.name);
    for (const OptionWords& option : command.options)
      out += fmt::format("{} -l {}{} -d {}\n", start, option.name, option.hasValue ? " -r" : "",
                         quotedForFish(option.description));
    if (const std::vector<std::string> words = argumentsOf(command.name, commands); !words.empty())
      out += fmt::format("{} -a '{}'\n", start, llvm::join(words, " "));
  }
  return out;
}
} // namespace

std::string tool::completionScript(const std::string& shell) {
  const std::vector<CommandWords> commands = commandWords();
  if (shell == "fish")
    return fishScript(commands);
  std::vector<std::string> names;
  std::string cases;
  for (const CommandWords& command : commands) {
    names.push_back(command.name);
    std::vector<std::string> words = argumentsOf(command.name, commands);
    for (const OptionWords& option : command.options)
      words.push_back("--" + option.name);
    cases += "    " + command.name + ") words=\"" + llvm::join(words, " ") + "\" ;;\n";
  }
  const std::string top = llvm::join(names, " ") + " --help --version";
  if (shell == "zsh")
    return "#compdef dplc\n"
           "# zsh completion for dplc\n"
           "_dplc() {\n"
           "  local words_of_command\n"
           "  if (( CURRENT == 2 )); then\n"
           "    compadd -- " +
           top +
           "\n"
           "    return\n"
           "  fi\n"
           "  local command=${words[2]} words=\"\"\n"
           "  case $command in\n" +
           cases +
           "  esac\n"
           "  words_of_command=(${=words})\n"
           "  compadd -- $words_of_command\n"
           "  _files\n"
           "}\n"
           "compdef _dplc dplc\n";
  return "# bash completion for dplc\n"
         "_dplc() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} words=\"\"\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"" +
         top +
         "\" -- \"$current\")\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\"; compgen -f -- "
         "\"$current\")\n"
         "}\n"
         "complete -o filenames -F _dplc dplc\n";
}

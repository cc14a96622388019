//===- Completion.cpp - The completion scripts of bash and zsh --------------------------------===//
#include "backends/Target.h"
#include "support/Diagnostics.h"
#include "tools/dplc/CommandLine.h"
#include "llvm/ADT/StringExtras.h"
using namespace dpl;
using namespace dpl::tool;

std::string tool::completionScript(const std::string& shell) {
  std::vector<std::string> names;
  std::string cases;
  for (auto [name, words] : commandWords()) {
    names.push_back(name);
    if (name == "emit")
      for (const Target* target : allTargets())
        words.emplace_back(target->name);
    if (name == "explain") {
      words.emplace_back("units");
      for (const DiagInfo& row : allDiagnostics())
        if (row.severity != Severity::Note)
          words.emplace_back(row.code);
    }
    if (name == "import")
      words.insert(words.begin(), {"hf", "megatron"});
    if (name == "completion")
      words.insert(words.begin(), {"bash", "zsh"});
    cases += "    " + name + ") words=\"" + llvm::join(words, " ") + "\" ;;\n";
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

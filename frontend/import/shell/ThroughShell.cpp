//===- ThroughShell.cpp - Commands that a script passes to another shell ----------------------===//
#include "frontend/import/shell/ThroughShell.h"
#include "frontend/import/shell/Expansion.h"

using namespace dpl;
using namespace dpl::imports::shell;

namespace {

bool isShell(llvm::StringRef command) {
  return isAny(command.substr(command.rfind('/') + 1), {"bash", "sh", "zsh", "dash"});
}

/// The index of the word that `bash -c`, `sh -lc` or `bash -l -c` runs; 0 if there is none.
std::size_t textOfShell(const ShellWords& words, std::size_t shell) {
  for (std::size_t i = shell + 1; i + 1 < words.size(); ++i) {
    const llvm::StringRef option = words[i].text;
    if (!option.startswith("-"))
      return 0;
    if (!option.startswith("--") && option.contains('c'))
      return i + 1;
  }
  return 0;
}

} // namespace

std::optional<ShellWords> dpl::imports::shell::throughShell(const ShellWords& words,
                                                            std::uint32_t file,
                                                            ShellVariables& variables) {
  ShellWords before;
  std::string handed;
  SourceRange at = words.front().at;
  if (words.front().text == "eval") {
    for (const ShellWord& word : llvm::drop_begin(words))
      handed += word.text + ' ';
  } else {
    const auto shell =
        llvm::find_if(words, [](const ShellWord& word) { return isShell(word.text); });
    const auto index = static_cast<std::size_t>(shell - words.begin());
    const std::size_t given = shell == words.end() ? 0 : textOfShell(words, index);
    if (given == 0)
      return std::nullopt;
    before.assign(words.begin(), shell);
    handed = words[given].text, at = words[given].at;
  }
  // The text is expanded again, as the other shell does. Places are that of the word with the text.
  ScriptCursor inner(handed, file);
  Expansion expansion(inner, variables);
  while (!inner.done() && !expansion.budget().exceeded()) {
    inner.skipBlanks();
    const std::size_t begin = inner.position();
    if (inner.peek() == '#') {
      inner.skipLine();
      continue;
    }
    ShellWords command = expansion.words('\0');
    if (inner.position() == begin) {
      inner.moveTo(begin + 1);
      continue;
    }
    if (!command.empty() &&
        isAny(command.front().text, {"if", "then", "else", "while", "for", "do", "case"}))
      return std::nullopt;
    const auto first = llvm::find_if(command, [](const ShellWord& word) {
      const llvm::StringRef name = llvm::StringRef(word.text).take_while(nameChar);
      return name.empty() || !nameStart(name[0]) ||
             !llvm::StringRef(word.text).drop_front(name.size()).startswith("=");
    });
    command.erase(command.begin(), first);
    if (llvm::none_of(command, [](const ShellWord& word) {
          return llvm::StringRef(word.text).endswith(".py");
        }))
      continue;
    for (ShellWord& word : command) {
      word.at = at;
      if (word.doubt && word.doubt->outside) {
        Doubt doubt = *word.doubt;
        doubt.at = at;
        word.doubt = std::make_shared<const Doubt>(std::move(doubt));
      }
    }
    command.insert(command.begin(), before.begin(), before.end());
    return command;
  }
  return std::nullopt;
}

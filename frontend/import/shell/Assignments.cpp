//===- Assignments.cpp - Assignments of a shell script, and variables that they make unknown --===//
#include "frontend/import/shell/Assignments.h"
#include "llvm/ADT/SmallVector.h"

using namespace dpl;
using namespace dpl::imports::shell;

/// Whether every value since `mark` is the value at `mark` with added options that have no effect.
bool Assignments::addsNothing(const std::string& name, std::size_t mark) const {
  const ShellVariable before = variables.at(name, mark);
  if (before.words.empty() && !before.array)
    return false; // otherwise the environment may have set the first value
  const std::string old = joined(before.words);
  return variables.everySince(name, mark, [&](const ShellVariable& now) {
    const std::string all = joined(now.words);
    llvm::StringRef added = all;
    if (!added.consume_front(old))
      return false;
    llvm::SmallVector<llvm::StringRef, 8> words;
    added.split(words, ' ', -1, false);
    return (added.empty() || old.empty() || added.startswith(" ")) &&
           (words.empty() || words.front().startswith("--")) &&
           llvm::all_of(words, [&](llvm::StringRef word) {
             return !word.startswith("--") || hasNoEffect(word.split('=').first);
           });
  });
}

void Assignments::doubtSince(std::size_t mark, SourceRange at, const std::string& what,
                             const std::string& decides) {
  for (const std::string& name : variables.changedSince(mark))
    if (!addsNothing(name, mark))
      variables.doubt(name, at, what, decides);
}
void Assignments::doubtNames(llvm::StringRef written, SourceRange at, const std::string& what) {
  while (!written.empty()) {
    const llvm::StringRef name = written.take_while(nameChar);
    if (!name.empty() && nameStart(name[0]))
      variables.doubt(name.str(), at, what);
    written = written.drop_front(std::max<std::size_t>(1, name.size()));
  }
}

bool Assignments::assignment() {
  const llvm::StringRef text = in.text();
  const std::size_t begin = in.position();
  std::size_t end = begin;
  if (!nameStart(in.peek()))
    return false;
  while (end < text.size() && nameChar(text[end]))
    ++end;
  const std::string name = text.slice(begin, end).str();
  if (end < text.size() && text[end] == '[') { // an assignment to an element of an array
    const std::size_t closing = text.find_first_of("]\n", end);
    const llvm::StringRef rest = text.substr(closing);
    if (!rest.startswith("]=") && !rest.startswith("]+="))
      return false;
    in.moveTo(closing + (rest[1] == '=' ? 2 : 3));
    expansion.word();
    variables.doubt(name, in.from(begin), in.written(begin).str());
    return true;
  }
  const bool adds = text.substr(end).startswith("+=");
  if (!adds && (end >= text.size() || text[end] != '='))
    return false;
  in.moveTo(end + (adds ? 2 : 1));
  ShellVariable given;
  given.array = in.peek() == '(';
  if (given.array) {
    in.moveTo(in.position() + 1);
    given.words = expansion.words(')');
  } else {
    const std::size_t from = in.position();
    ShellWords pieces = expansion.word(); // the shell does not split the value of an assignment
    ShellWord joined{"", in.from(from), nullptr};
    for (const ShellWord& piece : pieces) {
      joined.text += (joined.text.empty() ? "" : " ") + piece.text;
      joined.doubt = piece.doubt ? piece.doubt : joined.doubt;
    }
    given.words = {joined};
  }
  for (ShellWord& word : given.words) // `--define NAME=` can set a value that is not known
    if (word.doubt && word.doubt->outside && word.doubt->variable.empty() && !given.array &&
        !adds) {
      Doubt named = *word.doubt;
      named.variable = name;
      word.doubt = std::make_shared<const Doubt>(std::move(named));
    }
  if (!adds || !variables.find(name))
    variables.set(name, std::move(given));
  else if (!variables.add(name, std::move(given.words), given.array, ValueBudget::most))
    expansion.budget().exceed();
  return true;
}

void Assignments::declaration(std::size_t mark) {
  const std::size_t begin = in.position();
  bool plain = true;
  for (in.skipBlanks(); assignment() || in.peek() == '-' || in.peek() == '+'; in.skipBlanks())
    if (in.peek() == '-' || in.peek() == '+') {
      const std::size_t option = in.position();
      expansion.word();
      plain &= in.written(option).find_first_not_of("-xrgap") == llvm::StringRef::npos;
      if (in.position() == option)
        break;
    }
  expansion.words('\0');
  if (!plain)
    doubtSince(mark, in.from(begin), "declare");
}

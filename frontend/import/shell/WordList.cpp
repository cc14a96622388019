//===- WordList.cpp - The words that expansions produce ---------------------------------------===//
#include "frontend/import/shell/WordList.h"
#include <cctype>

using namespace dpl;
using namespace dpl::imports::shell;

namespace {
bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// The length in bytes of the expansion at the beginning of a text; 0 if there is none.
std::size_t expansionAt(llvm::StringRef text) {
  ScriptCursor in(text, 0);
  in.moveTo(1);
  if (text[0] == '`') {
    in.untilClosed('\0', '`');
  } else if (text[0] != '$' || !expands(in.peek())) {
    return 0;
  } else if (in.peek() == '(' || in.peek() == '{') {
    const char opening = in.peek();
    in.moveTo(2);
    in.untilClosed(opening, opening == '(' ? ')' : '}');
  } else {
    do
      in.advance();
    while (nameStart(text[1]) && nameChar(in.peek()));
  }
  return in.position();
}
} // namespace

void WordList::beginWord(std::size_t begin) {
  if (!open)
    words.push_back({"", in.from(begin), nullptr});
  open = true;
}

void WordList::append(llvm::StringRef piece, bool split, std::size_t begin,
                      const DoubtPointer& doubt) {
  budget.add(piece.size() + 1);
  if (budget.exceeded())
    return;
  if (split && doubt)
    return appendParts(piece, begin, doubt);
  if (!split) {
    beginWord(begin);
    words.back().text += piece;
    if (doubt)
      words.back().doubt = doubt;
    return;
  }
  for (const char c : piece) {
    if (isSpace(c)) {
      open = false;
    } else if (c != '\\' || piece.size() == 1) { // `\` continues the line in a quoted string
      beginWord(begin);
      words.back().text += c;
    }
  }
}

/// Appends a value of which a part is not known. Blanks outside of this part separate words.
void WordList::appendParts(llvm::StringRef piece, std::size_t begin, const DoubtPointer& doubt) {
  bool given = false;
  while (!piece.empty()) {
    if (isSpace(piece[0])) {
      open = false, piece = piece.drop_front();
      continue;
    }
    const std::size_t unknown = expansionAt(piece);
    const llvm::StringRef part = piece.take_front(std::max<std::size_t>(unknown, 1));
    beginWord(begin);
    words.back().text += part;
    if (unknown > 0)
      words.back().doubt = causeOf(part, doubt), given = true;
    piece = piece.drop_front(part.size());
  }
  if (!given && !words.empty()) // keeps the doubt
    words.back().doubt = doubt;
}

/// The first variable in an arithmetic expression that is not known.
std::string WordList::unknownIn(llvm::StringRef expression) const {
  while (!expression.empty()) {
    const llvm::StringRef name = expression.take_while(nameChar);
    const bool isName = !name.empty() && nameStart(name[0]);
    const ShellVariable* const found = isName ? variables.find(name.str()) : nullptr;
    if (isName && (!found || found->words.empty() || found->words.front().doubt))
      return name.str();
    expression = expression.drop_front(std::max<std::size_t>(1, name.size()));
  }
  return "";
}

/// The reason why a part of a value is not known. `doubt` is that of the whole value.
DoubtPointer WordList::causeOf(llvm::StringRef part, const DoubtPointer& doubt) const {
  if (part == doubt->what)
    return doubt;
  std::string name = part.ltrim("${").take_while(nameChar).str();
  if (part.startswith("$(("))
    name = unknownIn(part);
  if (name == doubt->variable && !name.empty())
    return doubt;
  const ShellVariable* const found = variables.find(name);
  if (found && !found->words.empty() && found->words.front().doubt)
    return found->words.front().doubt;
  Doubt own = *doubt;
  own.what = part.str(), own.variable = !name.empty() && nameStart(name[0]) ? name : "";
  return std::make_shared<Doubt>(own);
}

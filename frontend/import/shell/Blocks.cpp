//===- Blocks.cpp - Blocks and functions of a shell script that is followed -------------------===//
#include "frontend/import/shell/Script.h"

using namespace dpl;
using namespace dpl::imports::megatron;

/// Opening keywords leave `at` before the first statement of the block, or of its condition.
bool Script::opens(const std::string& keyword, std::size_t begin) {
  if (!isAny(keyword, {"if", "while", "until", "for", "select", "case", "{", "function"}))
    return false;
  in.moveTo(begin + keyword.size());
  if (keyword == "function") {
    in.skipBlanks();
    const std::size_t name = in.position();
    in.word();
    functionBody(in.written(name).str(), begin);
    return true;
  }
  blocks.push_back({keyword, begin, variables.mark(), conditional, ""});
  if (passedOver) { // behind a `&&` or `||`
    blocks.back().live = false, blocks.back().branch = variables.mark();
    passedOver = false;
    if (!isAny(keyword, {"for", "select", "case"}))
      return conditional = false, connected.clear(), true;
  }
  if (keyword == "for" || keyword == "select") {
    in.skipBlanks();
    const std::size_t head = in.position();
    if (in.peek() == '(' && in.peek(1) == '(') {
      in.moveTo(head + 2);
      doubtNames(in.untilClosed('(', ')'), in.from(begin), keyword);
      in.moveTo(in.position() + (in.peek() == ')'));
    } else {
      in.word();
      const std::string name = in.written(head).str();
      const ShellWords items = in.words('\0');
      for (const ShellWord& item : items)
        if (item.doubt && blocks.back().unknownVariable.empty())
          blocks.back().unknownVariable =
              isAny(item.doubt->what, {"$@", "$*"}) ? "@" : item.doubt->variable;
      if (keyword != "for" || !beginFor(items, name))
        doubtNames(name, in.from(begin), keyword);
    }
  } else if (keyword == "if") {
    decide(blocks.back());
  } else if (keyword == "while" || keyword == "until") {
    const std::optional<bool> goesOn = condition(blocks.back());
    if (goesOn) {
      blocks.back().live = *goesOn != (keyword == "until");
      blocks.back().branch = variables.mark();
      if (runs())
        blocks.back().loopStart = in.position();
    }
  } else if (keyword == "case") {
    beginCase(blocks.back());
  }
  conditional = false, connected.clear();
  return true;
}

/// `at` stands behind the function's name.
void Script::functionBody(const std::string& name, std::size_t begin) {
  in.skipBlanks();
  if (in.peek() == '(' || in.peek() == ')') {
    in.moveTo(in.position() + 1);
    in.untilClosed('\0', ')');
  }
  for (in.skipBlanks(); in.peek() == '\n'; in.skipBlanks())
    in.newline();
  if (in.peek() != '{')
    return;
  in.moveTo(in.position() + 1);
  functions[name].body = {text, file, in.position()};
  blocks.push_back({"function", begin, variables.mark(), conditional, name});
  blocks.back().live = false; // where it stands
  conditional = false;
}

void Script::closeBlock() {
  const ShellBlock block = std::move(blocks.back());
  blocks.pop_back();
  const std::size_t size = block.keyword == "(" ? 1 : block.keyword.size();
  const SourceRange at{file, static_cast<std::uint32_t>(block.begin),
                       static_cast<std::uint32_t>(block.begin + size)};
  conditional = block.conditional, status = std::nullopt;
  if (block.keyword == "function") {
    for (const std::string& name : variables.changedSince(block.mark))
      functions[block.name].names.insert(name);
    variables.rollBack(block.mark);
  } else if (block.keyword == "(") {
    variables.rollBack(block.mark);
  } else if (block.live && !conditional && !pipeFollows()) {
    if (!*block.live)
      variables.rollBack(block.branch);
  } else if (block.keyword != "{" || conditional || pipeFollows()) {
    doubtSince(block.mark, at, block.keyword == "{" ? "{ … }" : block.keyword,
               block.unknownVariable);
  }
}

bool Script::closes(const std::string& keyword) {
  if (!isAny(keyword, {"fi", "done", "esac", "}"}))
    return false;
  const std::string open = blocks.empty() ? "" : blocks.back().keyword;
  const bool matches = keyword == "fi"     ? open == "if"
                       : keyword == "esac" ? open == "case"
                       : keyword == "}"    ? open == "{" || open == "function"
                                           : isAny(open, {"while", "until", "for", "select"});
  if (matches && !(keyword == "done" && nextIteration()))
    closeBlock();
  return true;
}

//===- Blocks.cpp - Blocks and functions of a shell script that is followed -------------------===//
#include "imports/megatron/Script.h"

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
  if (keyword == "for" || keyword == "select") {
    in.skipBlanks();
    const std::size_t head = in.position();
    if (in.peek() == '(' && in.peek(1) == '(') {
      in.moveTo(head + 2);
      doubtNames(in.untilClosed('(', ')'), in.from(begin), keyword);
      in.moveTo(in.position() + (in.peek() == ')'));
    } else {
      in.word();
      doubtNames(in.written(head), in.from(begin), keyword);
      in.words('\0');
    }
  } else if (keyword == "if") {
    decide(blocks.back());
  } else if (keyword == "while" || keyword == "until") {
    const std::optional<bool> goesOn = condition(blocks.back());
    if (goesOn && *goesOn == (keyword == "until")) // not once
      blocks.back().live = false, blocks.back().branch = variables.mark();
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
  blocks.push_back({"function", begin, variables.mark(), conditional, name});
  conditional = false;
}

void Script::closeBlock() {
  const Block block = std::move(blocks.back());
  blocks.pop_back();
  const std::size_t size = block.keyword == "(" ? 1 : block.keyword.size();
  const SourceRange at{file, static_cast<std::uint32_t>(block.begin),
                       static_cast<std::uint32_t>(block.begin + size)};
  conditional = block.conditional, certain = false;
  if (block.keyword == "function") {
    for (const std::string& name : variables.changedSince(block.mark))
      functions[block.name].insert(name);
    variables.rollBack(block.mark);
  } else if (block.keyword == "(") {
    variables.rollBack(block.mark);
  } else if (block.live && !conditional && !pipeFollows()) {
    if (!*block.live)
      variables.rollBack(block.branch);
  } else if (block.keyword != "{" || conditional || pipeFollows()) {
    doubtSince(block.mark, at, block.keyword == "{" ? "{ … }" : block.keyword, block.asks);
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
  if (matches)
    closeBlock();
  return true;
}

//===- Blocks.cpp - Blocks and functions of a shell script ------------------------------------===//
#include "frontend/import/shell/Blocks.h"

using namespace dpl;
using namespace dpl::imports::shell;

namespace {
template <class Blocks, class Test> const ShellBlock* outermost(const Blocks& open, Test test) {
  const auto found = llvm::find_if(open, test);
  return found == open.end() ? nullptr : &*found;
}
} // namespace

bool Blocks::runs() const {
  return llvm::none_of(open, [](const ShellBlock& block) { return block.live == false; });
}

bool Blocks::runsForSure() const {
  return llvm::all_of(open, [](const ShellBlock& block) {
    return block.live.value_or(block.keyword == "{" && !block.conditional);
  });
}

const ShellBlock* Blocks::undecided() const {
  return outermost(open, [](const ShellBlock& block) {
    return !block.live && block.keyword != "{" && block.keyword != "(";
  });
}

const ShellBlock* Blocks::functionBody() const {
  return outermost(open, [](const ShellBlock& block) { return block.keyword == "function"; });
}

const ShellFunction* Blocks::function(const std::string& name) const {
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : &found->second;
}

ShellBlock& Blocks::push(const char* keyword, std::size_t begin, bool conditional) {
  open.push_back({keyword, begin, variables.mark(), conditional});
  return open.back();
}

std::optional<bool> Blocks::condition(ShellBlock& block) {
  Condition found = conditionAt(in, expansion);
  if (block.unknownVariable.empty())
    block.unknownVariable = std::move(found.unknownVariable);
  return found.value;
}

bool Blocks::opens(const std::string& keyword, std::size_t begin) {
  if (!isAny(keyword, {"if", "while", "until", "for", "select", "case", "{", "function"}))
    return false;
  in.moveTo(begin + keyword.size());
  if (keyword == "function") {
    in.skipBlanks();
    const std::size_t name = in.position();
    expansion.word();
    defineFunction(in.written(name).str(), begin);
    return true;
  }
  ShellBlock& block = push(keyword.c_str(), begin, connection.conditional);
  if (connection.passedOver) {
    block.live = false, block.branch = variables.mark();
    connection.passedOver = false;
    if (!isAny(keyword, {"for", "select", "case"}))
      return connection.end(), true;
  }
  if (keyword == "if")
    decide(block);
  else if (keyword == "case")
    beginCase(block);
  else if (keyword != "{")
    beginLoop(keyword, begin);
  connection.end();
  return true;
}

void Blocks::defineFunction(const std::string& name, std::size_t begin) {
  in.skipBlanks();
  if (in.peek() == '(' || in.peek() == ')') {
    in.advance();
    in.untilClosed('\0', ')');
  }
  for (in.skipBlanks(); in.peek() == '\n'; in.skipBlanks())
    in.newline();
  if (in.peek() != '{')
    return;
  in.advance();
  functions[name].body = in.current();
  ShellBlock& block = push("function", begin, connection.conditional);
  block.name = name;
  block.live = false; // a definition does not run the function
  connection.conditional = false;
}

void Blocks::closeInnermost() {
  const ShellBlock block = std::move(open.back());
  open.pop_back();
  const std::size_t size = block.keyword == "(" ? 1 : block.keyword.size();
  const SourceRange at{in.file(), static_cast<std::uint32_t>(block.begin),
                       static_cast<std::uint32_t>(block.begin + size)};
  connection.conditional = block.conditional, connection.status = std::nullopt;
  if (block.keyword == "function") {
    for (const std::string& name : variables.changedSince(block.mark))
      functions[block.name].names.insert(name);
    variables.rollBack(block.mark);
  } else if (block.keyword == "(") {
    variables.rollBack(block.mark);
  } else if (block.live && !block.conditional && !in.pipeFollows()) {
    if (!*block.live)
      variables.rollBack(block.branch);
  } else if (block.keyword != "{" || block.conditional || in.pipeFollows()) {
    assignments.doubtSince(block.mark, at, block.keyword == "{" ? "{ … }" : block.keyword,
                           block.unknownVariable);
  }
}

bool Blocks::closes(const std::string& keyword) {
  if (!isAny(keyword, {"fi", "done", "esac", "}"}))
    return false;
  const std::string last = open.empty() ? "" : open.back().keyword;
  const bool matches = keyword == "fi"     ? last == "if"
                       : keyword == "esac" ? last == "case"
                       : keyword == "}"    ? last == "{" || last == "function"
                                           : isAny(last, {"while", "until", "for", "select"});
  if (matches && !(keyword == "done" && nextIteration()))
    closeInnermost();
  return true;
}

/// Decides whether a branch of `if` or `elif` runs, if its condition is known.
void Blocks::decide(ShellBlock& block) {
  block.live = condition(block);
  block.branchTaken |= block.live.value_or(false);
  block.branch = variables.mark();
  if (!block.live)
    block.mark = block.branch; // changes before the branch are kept
}

void Blocks::nextBranch(llvm::StringRef keyword) {
  if (open.empty() || open.back().keyword != "if" || !open.back().live)
    return;
  ShellBlock& block = open.back();
  if (!*block.live)
    variables.rollBack(block.branch);
  block.branch = variables.mark();
  if (block.branchTaken) {
    block.live = false;
  } else if (keyword == "else") {
    block.live = block.branchTaken = true;
  } else {
    decide(block);
  }
}

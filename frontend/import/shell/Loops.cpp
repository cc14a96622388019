//===- Loops.cpp - Loops of a shell script whose iterations are known -------------------------===//
#include "frontend/import/shell/Blocks.h"

using namespace dpl;
using namespace dpl::imports::shell;

namespace {
bool isLoop(llvm::StringRef keyword) { return isAny(keyword, {"for", "while", "until", "select"}); }
} // namespace

/// Reads the head of a loop. Its first iteration begins after it.
void Blocks::beginLoop(const std::string& keyword, std::size_t begin) {
  ShellBlock& block = open.back();
  if (keyword == "while" || keyword == "until") {
    if (const std::optional<bool> goesOn = condition(block)) {
      block.live = *goesOn != (keyword == "until");
      block.branch = variables.mark();
      if (runs())
        block.loopStart = in.position();
    }
    return;
  }
  in.skipBlanks();
  const std::size_t head = in.position();
  if (in.peek() == '(' && in.peek(1) == '(') {
    in.advance(2);
    assignments.doubtNames(in.untilClosed('(', ')'), in.from(begin), keyword);
    in.advance(in.peek() == ')');
    return;
  }
  expansion.word();
  const std::string name = in.written(head).str();
  const ShellWords items = expansion.words('\0');
  for (const ShellWord& item : items)
    if (item.doubt && block.unknownVariable.empty())
      block.unknownVariable = isAny(item.doubt->what, {"$@", "$*"}) ? "@" : item.doubt->variable;
  if (keyword != "for" || !beginFor(items, name))
    assignments.doubtNames(name, in.from(begin), keyword);
}

/// Begins a `for` over the words after `for NAME`. False if one of the words is not known.
bool Blocks::beginFor(const ShellWords& items, const std::string& name) {
  ShellWords each = items;
  if (items.empty()) { // `for NAME; do` runs over the arguments
    const std::optional<ShellWords> all = variables.arguments();
    if (!all)
      return false;
    each = *all;
  } else if (items.front().text != "in") {
    return false;
  } else {
    each.erase(each.begin());
  }
  const bool known = llvm::none_of(each, [](const ShellWord& word) {
    return word.doubt || llvm::StringRef(word.text).find_first_of("*?{[") != llvm::StringRef::npos;
  });
  if (!known || name.empty() || !nameStart(name[0]))
    return false;
  if (!runs())
    return false;
  ShellBlock& block = open.back();
  block.branch = variables.mark();
  block.name = name;
  block.loopStart = in.position();
  block.live = block.live.value_or(true) && !each.empty();
  block.items.assign(each.rbegin(), each.rend());
  if (*block.live) {
    variables.set(name, {{block.items.back()}, false});
    block.items.pop_back();
  }
  return true;
}

/// Handles `done`: moves to the next iteration. False if there is none.
bool Blocks::nextIteration() {
  ShellBlock& block = open.back();
  if (block.live != true || !block.loopStart)
    return false;
  if (block.keyword == "for") {
    if (block.items.empty())
      return false;
    if (!repetitions.another()) {
      block.live = std::nullopt;
      return false;
    }
    repetitions.add(in.position() - *block.loopStart);
    variables.set(block.name, {{block.items.back()}, false});
    block.items.pop_back();
    in.moveTo(*block.loopStart);
    return true;
  }
  const std::size_t after = in.position();
  repetitions.add(after - *block.loopStart);
  in.moveTo(*block.loopStart);
  const std::optional<bool> goesOn = condition(block);
  if (!goesOn || !repetitions.another()) {
    block.live = std::nullopt;
  } else if (*goesOn != (block.keyword == "until")) {
    return true;
  }
  in.moveTo(after);
  return false;
}

void Blocks::leaveLoop() {
  if (!runs())
    return;
  for (auto block = open.rbegin(); block != open.rend(); ++block)
    if (isLoop(block->keyword)) {
      block->live = std::nullopt;
      return;
    }
}

//===- Loops.cpp - Loops of a shell script whose turns are known ------------------------------===//
#include "frontend/import/shell/Script.h"

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
bool isLoop(llvm::StringRef keyword) { return isAny(keyword, {"for", "while", "until", "select"}); }
} // namespace

/// Counts a turn, or a call of a function. What a script with options takes is far below the
/// bounds.
bool Script::mayRepeat() {
  constexpr unsigned most = 5'000;
  constexpr std::size_t mostBytes = std::size_t{1} << 20;
  return ++repetitions <= most && repeated <= mostBytes;
}

/// `items` are the words behind `for NAME`; false where nobody knows them all.
bool Script::beginFor(const ShellWords& items, const std::string& name) {
  ShellWords each = items;
  if (items.empty()) { // for NAME; do
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
  ShellBlock& block = blocks.back();
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

/// At `done`: goes back for another turn, or says that there is none.
bool Script::nextIteration() {
  ShellBlock& block = blocks.back();
  if (block.live != true || !block.loopStart)
    return false;
  if (block.keyword == "for") {
    if (block.items.empty())
      return false;
    if (!mayRepeat()) {
      block.live = std::nullopt;
      return false;
    }
    repeated += in.position() - *block.loopStart;
    variables.set(block.name, {{block.items.back()}, false});
    block.items.pop_back();
    in.moveTo(*block.loopStart);
    return true;
  }
  const std::size_t behind = in.position();
  repeated += behind - *block.loopStart;
  in.moveTo(*block.loopStart);
  const std::optional<bool> goesOn = condition(block);
  if (!goesOn || !mayRepeat()) {
    block.live = std::nullopt;
  } else if (*goesOn != (block.keyword == "until")) {
    return true;
  }
  in.moveTo(behind);
  return false;
}

/// `break` and `continue`: what the loop does from here on is not followed.
void Script::leaveLoop() {
  if (!runs())
    return;
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block)
    if (isLoop(block->keyword)) {
      block->live = std::nullopt;
      return;
    }
}

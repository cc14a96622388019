//===- Functions.cpp - Calls of functions of a shell script -----------------------------------===//
#include "frontend/import/shell/Script.h"
#include "llvm/ADT/ScopeExit.h"

using namespace dpl;
using namespace dpl::imports::megatron;

/// Reads on at `place` while there are `open` blocks or more, or to the end of the text; what is
/// still open then is closed.
LogicalResult Script::follow(Expansion::ReadPosition place, std::size_t open) {
  const llvm::StringRef outerText = text;
  const std::uint32_t outerFile = file;
  const bool outerConditional = conditional;
  const std::string outerConnected = connected;
  text = place.text, file = place.file;
  conditional = false, connected.clear();
  const Expansion::ReadPosition outer = in.enter(place);
  LogicalResult out = LogicalResult::success();
  while (!in.done() && !in.tooLong() && !ended && !returned && out.succeeded() &&
         blocks.size() >= open) {
    const std::size_t begin = in.position();
    const std::size_t before = blocks.size();
    out = statement();
    if (in.position() == begin && blocks.size() == before)
      break;
  }
  while (blocks.size() >= open)
    closeBlock();
  repeated += in.position() - place.at;
  (void)in.enter(outer);
  text = outerText, file = outerFile;
  conditional = outerConditional, connected = outerConnected;
  return out;
}

/// A call of a function with these words; nothing where it is not followed.
std::optional<LogicalResult> Script::callFunction(const ShellWords& words) {
  constexpr std::size_t deepest = 16;
  const auto known = functions.find(words.front().text);
  if (known == functions.end() || !runs() || locals.size() >= deepest || !mayRepeat())
    return std::nullopt;
  const std::optional<ShellWords> given = variables.arguments();
  variables.setArguments({words.begin() + 1, words.end()});
  locals.emplace_back();
  blocks.push_back({"{", in.position(), variables.mark(), false, ""});
  const LogicalResult out = follow(known->second.body, blocks.size());
  returned = false;
  for (auto& [name, before] : locals.back())
    variables.set(name, before);
  locals.pop_back();
  if (given)
    variables.setArguments(*given);
  else
    variables.doubtPositional(words.front().at, words.front().text);
  status = std::nullopt;
  return out;
}

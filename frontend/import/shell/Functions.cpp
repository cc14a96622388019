//===- Functions.cpp - Calls of functions in a shell script -----------------------------------===//
#include "frontend/import/shell/Script.h"

using namespace dpl;
using namespace dpl::imports::shell;

/// Reads statements from `place` on, while at least `open` blocks are open, or to the end of the
/// text. Then closes the blocks that are still open.
LogicalResult Script::follow(ReadPosition place, std::size_t open) {
  const bool outerConditional = connection.conditional;
  const std::string outerConnector = connection.by;
  connection.end();
  const ReadPosition outer = in.enter(place);
  LogicalResult out = LogicalResult::success();
  while (!in.done() && !expansion.budget().exceeded() && !ended && !returned && out.succeeded() &&
         blocks.size() >= open) {
    const std::size_t begin = in.position();
    const std::size_t before = blocks.size();
    out = statement();
    if (in.position() == begin && blocks.size() == before)
      break;
  }
  while (blocks.size() >= open)
    blocks.closeInnermost();
  blocks.repetitions.add(in.position() - place.at);
  (void)in.enter(outer);
  connection.conditional = outerConditional, connection.by = outerConnector;
  return out;
}

/// Follows a call of a function. If it is not followed, all variables that the function sets become
/// unknown.
LogicalResult Script::call(const ShellFunction& function, const ShellWords& words, SourceRange at) {
  constexpr std::size_t deepest = 16;
  if (!blocks.runs() || locals.size() >= deepest || !blocks.repetitions.another()) {
    for (const std::string& set : function.names)
      variables.doubt(set, at, words.front().text);
    return LogicalResult::success();
  }
  const std::optional<ShellWords> given = variables.arguments();
  variables.setArguments({words.begin() + 1, words.end()});
  locals.emplace_back();
  blocks.push("{", in.position());
  const LogicalResult out = follow(function.body, blocks.size());
  returned = false;
  for (auto& [name, before] : locals.back())
    variables.set(name, before);
  locals.pop_back();
  if (given)
    variables.setArguments(*given);
  else
    variables.doubtPositional(words.front().at, words.front().text);
  connection.status = std::nullopt;
  return out;
}

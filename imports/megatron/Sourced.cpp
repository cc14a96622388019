//===- Sourced.cpp - A file beside the script that it sources
//----------------------------------===//
#include "imports/megatron/Script.h"

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {

constexpr std::size_t mostFiles = 16;

/// The path below the script's folder; "" where it may be another. Of `$(dirname "$0")/env.sh`,
/// whose folder nobody knows, the name is taken.
llvm::StringRef besideScript(const Word& word) {
  llvm::StringRef path = word.text;
  if (word.doubt)
    path = path.substr(path.rfind('/') + 1);
  while (path.consume_front("./"))
    ;
  const bool elsewhere = path.startswith("/") || path.contains("..") ||
                         path.find_first_of("$`\"'*?~\n") != llvm::StringRef::npos;
  return elsewhere ? "" : path;
}

} // namespace

/// What `source FILE` or `. FILE` does; nothing where the file is not followed.
std::optional<LogicalResult> Script::sourced(const Words& words) {
  if (words.size() != 2 || !request.beside || followed.size() >= mostFiles)
    return std::nullopt;
  const llvm::StringRef path = besideScript(words[1]);
  const std::optional<std::uint32_t> opened = path.empty() ? std::nullopt : request.beside(path);
  if (!opened)
    return std::nullopt;
  const llvm::StringRef name = request.sources.name(*opened);
  for (const std::uint32_t outer : reading)
    if (request.sources.name(outer) == name)
      return std::nullopt; // it sources itself
  followed.push_back(*opened);
  reading.push_back(*opened);
  const llvm::StringRef outerText = text;
  const std::uint32_t outerFile = file;
  const bool outerConditional = conditional;
  const std::string outerConnected = connected;
  const std::size_t open = blocks.size();
  text = request.sources.text(*opened), file = *opened;
  conditional = false, connected.clear();
  const Expansion::Place outer = in.enter({text, file, 0});
  LogicalResult out = LogicalResult::success();
  while (!in.done() && !in.tooLong() && out.succeeded()) {
    const std::size_t begin = in.position();
    out = statement();
    if (in.position() == begin)
      break;
  }
  while (blocks.size() > open)
    closeBlock();
  (void)in.enter(outer);
  reading.pop_back();
  text = outerText, file = outerFile;
  conditional = outerConditional, connected = outerConnected;
  return out;
}

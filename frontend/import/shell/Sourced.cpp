//===- Sourced.cpp - Files that a shell script sources ----------------------------------------===//
#include "frontend/import/shell/Script.h"

using namespace dpl;
using namespace dpl::imports::shell;

namespace {

constexpr std::size_t mostFiles = 16;

/// The path relative to the script's folder; empty if the file may be elsewhere. If the folder is
/// not known, as in `$(dirname "$0")/env.sh`, only the file name is used.
llvm::StringRef pathBelowScript(const ShellWord& word) {
  llvm::StringRef path = word.text;
  if (word.doubt)
    path = path.substr(path.rfind('/') + 1);
  while (path.consume_front("./"))
    ;
  const bool elsewhere = path.startswith("/") || path.contains("..") ||
                         path.find_first_of("$`\"'*?~\n") != llvm::StringRef::npos;
  return elsewhere ? "" : path;
}

/// Whether a file only prepares a shell for programs, and sets nothing that a launch uses.
bool preparesAShell(llvm::StringRef path) {
  const llvm::StringRef name = path.substr(path.rfind('/') + 1);
  return isAny(name, {"activate", "conda.sh", "mamba.sh", ".bashrc", ".bash_profile", ".profile",
                      "profile", "setvars.sh", "modules.sh", "lmod.sh"}) ||
         path.contains("/modules/init/") || path.contains("/lmod/init/");
}

} // namespace

/// Follows `source FILE` or `. FILE`. Returns none if the file is not followed.
std::optional<LogicalResult> Script::sourced(const ShellWords& words) {
  if (words.size() > 1 && preparesAShell(words[1].text))
    return LogicalResult::success();
  if (words.size() != 2 || !request.addSourcedFile || followed.size() >= mostFiles)
    return std::nullopt;
  const llvm::StringRef path = pathBelowScript(words[1]);
  const std::optional<std::uint32_t> opened =
      path.empty() ? std::nullopt : request.addSourcedFile(path);
  if (!opened)
    return std::nullopt;
  const llvm::StringRef name = request.sources.name(*opened);
  for (const std::uint32_t outer : reading)
    if (request.sources.name(outer) == name)
      return std::nullopt; // a file that sources itself is not followed
  followed.push_back(*opened);
  reading.push_back(*opened);
  blocks.push("{", in.position());
  const LogicalResult out = follow({request.sources.text(*opened), *opened, 0}, blocks.size());
  returned = false;
  reading.pop_back();
  return out;
}

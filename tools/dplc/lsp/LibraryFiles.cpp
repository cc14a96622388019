//===- LibraryFiles.cpp - The library as read-only files that an editor can open --------------===//
#include "tools/dplc/lsp/LibraryFiles.h"
#include "frontend/Frontend.h"
#include "support/FileIo.h"
#include "tools/dplc/Version.h"
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The folder of this version's files; empty if the user has no cache.
std::string folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache && *cache == '/')
    return fmt::format("{}/dplc/{}", cache, DPL_VERSION);
  return home && *home == '/' ? fmt::format("{}/.cache/dplc/{}", home, DPL_VERSION) : "";
}

bool write(const std::string& path, llvm::StringRef text) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  // Another server may write the same file.
  const std::string own = fmt::format("{}.{}", path, ::getpid());
  DiagnosticEngine diags;
  if (failed || writeFile(own, text, diags).failed())
    return false;
  using std::filesystem::perms;
  std::filesystem::permissions(own, perms::owner_read | perms::group_read | perms::others_read,
                               failed);
  std::filesystem::rename(own, path, failed);
  return !failed;
}
} // namespace

std::string tool::libraryFile(llvm::StringRef module) {
  const std::string place = folder();
  llvm::StringRef name = module;
  if (place.empty() || !name.consume_front("std.") || libraryText(name).empty())
    return "";
  std::string path = fmt::format("{}/{}.dpl", place, module);
  const FileText known = readFile(path);
  const bool equal = !known.failed() && known.text == libraryText(name);
  return equal || write(path, libraryText(name)) ? path : "";
}

bool tool::isLibraryFile(llvm::StringRef path) {
  const std::string place = folder();
  return !place.empty() && path.startswith(place + "/");
}

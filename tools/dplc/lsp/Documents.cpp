//===- Documents.cpp - The texts that the editor has opened -----------------------------------===//
#include "tools/dplc/lsp/Documents.h"
#include "support/FileIo.h"
#include "llvm/ADT/Hashing.h"
#include <sys/stat.h>
using namespace dpl;
using namespace dpl::tool;

OpenDocument::OpenDocument(std::string uri, std::string text, std::int64_t version,
                           const FileSource& files, PlanTable& table)
    : uri(std::move(uri)), path(pathOfUri(this->uri)), text(std::move(text)), version(version),
      check(path, files, table) {}

void OpenDocument::apply(const Json& changes, PositionEncoding encoding) {
  for (const Json& change : changes) {
    const Json* written = change.find("text");
    if (!written || !written->is_string())
      continue;
    const Json* range = change.find("range");
    if (!range || range->is_null()) {
      text = written->str();
    } else {
      const LineIndex lines(text, encoding);
      const std::size_t begin = lines.byteAt((*range)["start"]);
      const std::size_t end = std::max(begin, lines.byteAt((*range)["end"]));
      text.replace(begin, end - begin, written->str());
    }
    changed = true;
  }
}

FileText Documents::textOf(const std::string& path) const {
  for (const auto& [uri, document] : documents)
    if (document.path == path)
      return document.text;
  // A pipe or a device is not read, because `/dev/stdin` is where the messages of the editor come.
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))
    return {FileProblem::Unreadable, "it is not a file"};
  return readFile(path);
}

std::uint64_t Documents::stampOf(const std::string& path) const {
  for (const auto& [uri, document] : documents)
    if (document.path == path)
      return llvm::hash_combine(document.uri, document.version, document.text.size());
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0)
    return 0;
  return llvm::hash_combine(found.st_ino, found.st_size, found.st_mtim.tv_sec,
                            found.st_mtim.tv_nsec);
}

OpenDocument& Documents::open(std::string uri, std::string text, std::int64_t version) {
  documents.erase(uri);
  const std::string key = uri;
  return documents.try_emplace(key, std::move(uri), std::move(text), version, *this, table)
      .first->second;
}

void Documents::close(const std::string& uri) { documents.erase(uri); }

OpenDocument* Documents::find(const std::string& uri) {
  const auto found = documents.find(uri);
  return found == documents.end() ? nullptr : &found->second;
}

OpenDocument* Documents::findPath(const std::string& path) {
  for (auto& [uri, document] : documents)
    if (document.path == path)
      return &document;
  return nullptr;
}

bool Documents::isOpen(const std::string& path) const {
  for (const auto& [uri, document] : documents)
    if (document.path == path)
      return true;
  return false;
}

std::string Documents::uriOf(const std::string& path) const {
  for (const auto& [uri, document] : documents)
    if (document.path == path)
      return uri;
  return uriOfPath(path);
}

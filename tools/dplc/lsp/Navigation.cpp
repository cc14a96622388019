//===- Navigation.cpp - Where a name is declared and used -------------------------------------===//
#include "support/FileIo.h"
#include "tools/dplc/lsp/Features.h"
#include "llvm/ADT/STLExtras.h"
#include <filesystem>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Files of a project that are searched for uses, and their bytes.
constexpr std::size_t mostFiles = 2000, mostBytes = std::size_t{16} << 20;

/// The .dpl files below a folder, without hidden folders, in the order of their paths.
void addFiles(const std::string& folder, std::vector<std::string>& paths) {
  std::error_code failed;
  std::filesystem::recursive_directory_iterator at(
      folder, std::filesystem::directory_options::skip_permission_denied, failed);
  for (; !failed && at != std::filesystem::recursive_directory_iterator(); at.increment(failed)) {
    const std::string name = at->path().filename().string();
    std::error_code unknown;
    if (at->is_directory(unknown) && llvm::StringRef(name).startswith("."))
      at.disable_recursion_pending();
    else if (at->path().extension() == ".dpl" && paths.size() < mostFiles)
      paths.push_back(at->path().lexically_normal().string());
  }
}

/// The files, apart from open ones, that may import the file with this path.
std::vector<std::string> importersOf(const Documents& documents, const std::string& path) {
  std::vector<std::string> all, found;
  for (const std::string& folder : documents.folders)
    addFiles(folder, all);
  if (documents.folders.empty() && llvm::StringRef(path).startswith("/"))
    addFiles(std::filesystem::path(path).parent_path().string(), all);
  llvm::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const std::string name = std::filesystem::path(path).filename().string();
  std::size_t bytes = 0;
  for (const std::string& one : all) {
    if (one == path || documents.isOpen(one) || bytes > mostBytes)
      continue;
    const FileText text = readFile(one);
    bytes += text.text.size();
    if (!text.failed() && llvm::StringRef(text.text).contains(name))
      found.push_back(one);
  }
  return found;
}

/// The same declaration among other sources; invalid if they have not read its file.
SourceRange sameDeclaration(FileNames& names, llvm::StringRef file, SourceRange declaration) {
  for (const std::uint32_t one : names.files())
    if (names.sources().name(one) == file)
      return {one, declaration.begin, declaration.end};
  return {};
}

/// Adds the uses that the names of one file know.
void addUses(const Documents& documents, FileNames& names, SourceRange declaration,
             bool withDeclaration,
             std::map<std::string, std::map<std::uint32_t, SourceRange>>& uses,
             std::map<std::string, UsesInFile>& out) {
  const SourceManager& sources = names.sources();
  for (const NameUse& use : names.references(declaration)) {
    const std::string path = sources.name(use.use.file).str();
    if ((use.isDeclaration && !withDeclaration) ||
        !uses[path].emplace(use.use.begin, use.use).second)
      continue;
    UsesInFile& here = out[path];
    here.path = path;
    here.ranges.push_back(lspRange(documents, sources, use.use));
    here.texts.push_back(sources.text(use.use).str());
  }
}
} // namespace

std::vector<UsesInFile> tool::usesOf(const DocumentRequest& request, SourceRange declaration,
                                     bool withDeclaration) {
  std::map<std::string, std::map<std::uint32_t, SourceRange>> known;
  std::map<std::string, UsesInFile> found;
  const Documents& documents = request.documents;
  const auto add = [&](FileNames& names, SourceRange here) {
    if (here.valid())
      addUses(documents, names, here, withDeclaration, known, found);
  };
  add(request.names(), declaration);
  const std::string file = request.sources().name(declaration.file).str();
  if (!llvm::StringRef(file).startswith("std.")) {
    for (auto& [uri, document] : request.documents.all())
      if (&document != &request.document && document.check.isReady())
        add(document.check.names(), sameDeclaration(document.check.names(), file, declaration));
    for (const std::string& importer : importersOf(documents, file)) {
      Workspace workspace([&](const std::string& path) { return documents.textOf(path); });
      const std::unique_ptr<FileNames> names = workspace.names(importer);
      add(*names, sameDeclaration(*names, file, declaration));
    }
  }
  std::vector<UsesInFile> out;
  for (auto& [path, uses] : found)
    out.push_back(std::move(uses));
  return out;
}

Json tool::definition(const DocumentRequest& request) {
  const std::optional<SourceRange> place = request.place();
  const std::optional<NameInfo> info =
      place ? request.names().at(place->file, place->begin) : std::nullopt;
  if (!info)
    return nullptr;
  const SourceRange target = info->target.valid() ? info->target : info->name.declaration;
  return target.valid() ? locationOf(request.documents, request.sources(), target) : Json();
}

Json tool::references(const DocumentRequest& request) {
  const std::optional<SourceRange> place = request.place();
  const std::optional<NameUse> name =
      place ? request.names().useAt(place->file, place->begin) : std::nullopt;
  Json locations = Json::array();
  if (!name || !name->declaration.valid())
    return locations;
  const bool all = request.params["context"]["includeDeclaration"] != Json(false);
  for (const UsesInFile& file : usesOf(request, name->declaration, all))
    for (const Json& range : file.ranges)
      locations.push_back({{"uri", request.documents.uriOf(file.path)}, {"range", range}});
  return locations;
}

Json tool::highlights(const DocumentRequest& request) {
  const std::optional<SourceRange> place = request.place();
  const std::optional<NameUse> name =
      place ? request.names().useAt(place->file, place->begin) : std::nullopt;
  Json out = Json::array();
  if (!name || !name->declaration.valid())
    return out;
  const LineIndex lines(request.document.text, request.documents.encoding);
  const std::size_t skipped = request.sources().skipped(place->file);
  for (const NameUse& use : request.names().references(name->declaration))
    if (use.use.file == place->file)
      out.push_back({{"range", lines.range(use.use.begin + skipped, use.use.end + skipped)}});
  return out;
}

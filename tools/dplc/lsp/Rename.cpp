//===- Rename.cpp - Renames a declaration and its uses ----------------------------------------===//
#include "frontend/parse/Tokens.h"
#include "tools/dplc/lsp/Features.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
bool isName(llvm::StringRef text) {
  const std::vector<Token> tokens = tokenize(text);
  return !tokens.empty() && tokens.front().is(TokenKind::Identifier) &&
         tokens.front().end == text.size();
}

/// The name at the position, if its declaration can be renamed; none after `mistake` is set.
std::optional<NameUse> renamed(const DocumentRequest& request) {
  const std::optional<SourceRange> place = request.place();
  const std::optional<NameUse> name =
      place ? request.names().useAt(place->file, place->begin) : std::nullopt;
  if (!name) {
    request.mistake = "there is no name at this place";
    return std::nullopt;
  }
  const SourceManager& sources = request.sources();
  const llvm::StringRef text = sources.text(name->use);
  if (!name->declaration.valid())
    request.mistake = fmt::format("`{}` is declared in no file", text);
  else if (sources.name(name->declaration.file).startswith("std."))
    request.mistake = fmt::format("`{}` is declared in the library", text);
  else if (sources.text(name->declaration) != text)
    request.mistake =
        fmt::format("`{}` is the name of a file; `import … as` gives another name", text);
  if (!request.mistake.empty())
    return std::nullopt;
  return name;
}

/// The texts of the files that a rename changes. They are the editor's, with any byte order mark.
class RenamedTexts {
public:
  RenamedTexts(const Documents& documents, llvm::StringRef from, std::string to)
      : documents(documents), length(from.size()), to(std::move(to)) {}

  /// Replaces the name at these ranges of a file.
  void replace(const std::string& path, const Json& edits) {
    File& file = files[path];
    const FileText before = documents.textOf(path);
    const LineIndex lines(before.text, documents.encoding);
    for (const Json& edit : edits)
      file.places.push_back(lines.byteAt(edit["range"]["start"]));
    llvm::sort(file.places);
    file.text = before.text;
    for (const std::size_t at : llvm::reverse(file.places))
      file.text.replace(at, length, to);
  }
  FileText textOf(const std::string& path) const {
    const auto found = files.find(path);
    return found == files.end() ? documents.textOf(path) : FileText(found->second.text);
  }
  std::vector<std::string> paths() const {
    std::vector<std::string> out;
    for (const auto& [path, file] : files)
      out.push_back(path);
    return out;
  }
  /// Where a range of the old texts is in the new ones: its file and bytes.
  using Place = std::tuple<std::string, std::size_t, std::size_t>;
  Place placeOf(const SourceManager& sources, SourceRange range) const {
    if (!range.valid())
      return {};
    const std::string path = sources.name(range.file).str();
    const auto found = files.find(path);
    const auto moved = [&](std::size_t byte) {
      if (found == files.end())
        return byte;
      const std::vector<std::size_t>& places = found->second.places;
      const std::size_t ended = byte + sources.skipped(range.file);
      const auto before = static_cast<std::size_t>(
          llvm::partition_point(places, [&](std::size_t at) { return at + length <= ended; }) -
          places.begin());
      return byte + before * to.size() - before * length;
    };
    return {path, moved(range.begin), moved(range.end)};
  }

private:
  struct File {
    std::string text;
    std::vector<std::size_t> places; ///< of the old name in the old text, ascending
  };
  const Documents& documents;
  std::size_t length;
  std::string to;
  std::map<std::string, File> files;
};

/// A name whose meaning a rename would change, as a text; empty if there is none.
std::string changedName(const RenamedTexts& renamed, FileNames& before, FileNames& after) {
  if (!before.source() || !after.source())
    return "";
  const llvm::ArrayRef<NameUse> old = before.uses(*before.source());
  const llvm::ArrayRef<NameUse> now = after.uses(*after.source());
  const SourceManager &oldTexts = before.sources(), &texts = after.sources();
  const auto placeNow = [&](SourceRange range) -> RenamedTexts::Place {
    if (!range.valid())
      return {};
    return {texts.name(range.file).str(), range.begin, range.end};
  };
  const auto described = [](const SourceManager& sources, const NameUse& use) {
    return fmt::format("`{}` ({})", sources.text(use.use), sources.describe(use.use));
  };
  for (const auto& [was, is] : llvm::zip(old, now))
    if (was.thing != is.thing || was.isDeclaration != is.isDeclaration ||
        renamed.placeOf(oldTexts, was.use) != placeNow(is.use) ||
        renamed.placeOf(oldTexts, was.declaration) != placeNow(is.declaration))
      return described(oldTexts, was);
  if (old.size() == now.size())
    return "";
  return old.size() > now.size() ? described(oldTexts, old[now.size()])
                                 : described(texts, now[old.size()]);
}

/// The errors of a file, and the first one.
std::pair<unsigned, std::string> errorsOf(Workspace& workspace, const std::string& path) {
  DiagnosticEngine diags;
  const std::unique_ptr<CompiledUnit> unit =
      workspace.compile(path, diags, {}, /*keepNames=*/false, /*plansOneByOne=*/true);
  while (!unit->file.failed() && unit->nextPlan())
    ;
  return {diags.errors(), diags.firstError()};
}

/// Why a rename would change more than names; empty if it does not.
std::string consequence(const Documents& documents, const RenamedTexts& renamed) {
  Workspace before([&](const std::string& path) { return documents.textOf(path); });
  Workspace after([&](const std::string& path) { return renamed.textOf(path); });
  for (const std::string& path : renamed.paths()) {
    const std::unique_ptr<FileNames> was = before.names(path), is = after.names(path);
    if (const std::string name = changedName(renamed, *was, *is); !name.empty())
      return name + " would have another meaning";
  }
  for (const std::string& path : renamed.paths())
    if (const auto [errors, first] = errorsOf(after, path);
        errors > 0 && errors > errorsOf(before, path).first)
      return first;
  return "";
}
} // namespace

Json tool::prepareRename(const DocumentRequest& request) {
  const std::optional<NameUse> name = renamed(request);
  if (!name)
    return nullptr;
  return {{"range", lspRange(request.documents, request.sources(), name->use)},
          {"placeholder", request.sources().text(name->use)}};
}

Json tool::rename(const DocumentRequest& request) {
  const std::string to = textAt(request.params, "newName");
  const std::optional<NameUse> name = renamed(request);
  if (!name)
    return nullptr;
  if (!isName(to)) {
    request.mistake =
        fmt::format("`{}` is not a name: letters, digits and `_`, and no word of the language", to);
    return nullptr;
  }
  const SourceManager& sources = request.sources();
  const std::string from = sources.text(name->use).str();
  Json changes = Json::object();
  if (to == from)
    return {{"changes", std::move(changes)}};
  for (const Symbol& other : request.names().outline(name->declaration.file))
    if (other.name == to) {
      request.mistake = fmt::format("`{}` is declared already", to);
      return nullptr;
    }
  RenamedTexts texts(request.documents, from, to);
  for (const UsesInFile& file : usesOf(request, name->declaration, true)) {
    Json edits = Json::array();
    for (const auto& [range, text] : llvm::zip(file.ranges, file.texts))
      if (text == from)
        edits.push_back({{"range", range}, {"newText", to}});
    texts.replace(file.path, edits);
    changes.append(request.documents.uriOf(file.path), std::move(edits));
  }
  if (const std::string why = consequence(request.documents, texts); !why.empty()) {
    request.mistake = fmt::format("`{}` cannot become `{}`: {}", from, to, why);
    return nullptr;
  }
  return {{"changes", std::move(changes)}};
}

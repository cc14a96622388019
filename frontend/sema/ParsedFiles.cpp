//===- ParsedFiles.cpp - Reads and parses each file once --------------------------------------===//
#include "frontend/sema/ParsedFiles.h"
#include "frontend/parse/ParseTree.h"
#include "frontend/parse/Tokens.h"
#include "support/Number.h"
#include "support/diagnostics/Files.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;

namespace {
std::string bytes(std::size_t n) {
  return Number{static_cast<std::int64_t>(n), *dimensionNamed("Bytes"), Scope::None, nullptr}.str();
}

/// Removes declarations with errors from a file. An error on a line of a declaration is an error of
/// it. Other errors are in text without a declaration.
class Damage {
public:
  Damage(ParsedFile& file, const SourceManager& sources, Arena& arena)
      : file(file), text(sources.text(file.ast->id)), arena(arena) {}

  void takeOut() {
    llvm::SmallVector<const ast::Decl*> sound;
    std::size_t end = 0; // end of the text that was handled
    for (const ast::Decl* decl : file.ast->declarations) {
      poison(end, decl->range.begin);
      end = std::max<std::size_t>(end, decl->range.end);
      if (damaged(*decl))
        poison(decl->range.begin, decl->range.end);
      else
        sound.push_back(decl);
    }
    poison(end, text.size());
    file.ast = &arena.make<ast::File>(file.ast->id, arena.copy(llvm::makeArrayRef(sound)));
  }

private:
  bool damaged(const ast::Decl& decl) const {
    const std::size_t lineEnd = std::min(text.find('\n', decl.range.end), text.size());
    return llvm::any_of(file.diagnostics, [&](const Diagnostic& d) {
      return d.range.file == file.ast->id && d.range.end >= decl.range.begin &&
             d.range.begin <= lineEnd;
    });
  }
  void poison(std::size_t begin, std::size_t end) {
    if (begin >= end)
      return;
    const llvm::StringRef part = text.slice(begin, end);
    unsigned depth = 0, place = 0; // number of open brackets, and of tokens before this one on its
                                   // line
    TokenKind first = TokenKind::None;
    for (const Token& token : tokenize(part)) {
      if (token.isHidden())
        continue;
      const llvm::StringRef word = part.slice(token.begin, token.end);
      if (token.is(TokenKind::NewLine))
        place = 0;
      else if (token.is(TokenKind::Identifier))
        file.poisoned.insert(word);
      // This is the name that is declared: `layout name`, `search layout name`, `let name`, …
      if (token.is(TokenKind::Identifier) && depth == 0 &&
          place == (first == TokenKind::Search ? 2 : 1))
        file.lost.insert(word);
      if (token.isOpening())
        ++depth;
      else if (token.isClosing() && depth > 0)
        --depth;
      if (token.is(TokenKind::NewLine))
        continue;
      if (place == 0)
        first = token.kind;
      ++place;
    }
  }

  ParsedFile& file;
  llvm::StringRef text;
  Arena& arena;
};
} // namespace

FailureOr<std::uint32_t> ParsedFiles::load(const std::string& path, SourceRange at,
                                           DiagnosticEngine& diags) {
  const FailureOr<std::uint32_t> file = loadSource(sources, diags, path, reader, at);
  if (file.failed())
    return LogicalResult::failure();
  read += sources.text(*file).size();
  if (read > limit)
    return diags.report<diag::SourcesTooLarge>(at, path, bytes(read), bytes(limit))
        .help("`--limit` allows more");
  return *file;
}

FailureOr<std::uint32_t> ParsedFiles::data(const std::string& path, SourceRange at,
                                           DiagnosticEngine& diags) {
  if (const auto known = dataByPath.find(path); known != dataByPath.end())
    return known->second;
  const FailureOr<std::uint32_t> file = load(path, at, diags);
  if (!file.failed())
    dataByPath[path] = *file;
  return file;
}

const ast::FieldStmt* ParsedFiles::setting(const std::string& origin, const std::string& text,
                                           DiagnosticEngine& diags) {
  // A text with errors is parsed again, so that its errors are reported each time.
  const ast::FieldStmt*& known = settings[origin + "\n" + text];
  if (!known)
    known = parseSetting(sources, sources.add(origin, text), arena, diags);
  return known;
}

const ParsedFile* ParsedFiles::open(const std::string& path, SourceRange importedAt,
                                    DiagnosticEngine& diags) {
  auto [known, isNew] = byPath.try_emplace(path, nullptr);
  if (!isNew && known->second) {
    for (const Diagnostic& d : known->second->diagnostics)
      diags.issue(d);
    return known->second;
  }
  const std::size_t before = diags.diagnostics().size();
  const FailureOr<std::uint32_t> file = load(path, importedAt, diags);
  if (file.failed())
    return nullptr;
  const ParseResult parsed = parse(sources, *file, arena, diags);
  auto made = std::make_unique<ParsedFile>();
  made->ast = parsed.file;
  made->failed = parsed.failed;
  made->diagnostics = diags.diagnostics().drop_front(before).vec();
  if (made->failed)
    Damage(*made, sources, arena).takeOut();
  held.push_back(std::move(made));
  return byPath[path] = held.back().get();
}

const ParsedFile& ParsedFiles::withDamaged(const ParsedFile& file) {
  if (!file.failed)
    return file;
  const ParsedFile*& known = damaged[&file];
  if (!known) {
    DiagnosticEngine reported; // with the file
    auto made = std::make_unique<ParsedFile>();
    const ParseResult parsed = parse(sources, file.ast->id, arena, reported, Damaged::Keep);
    made->ast = parsed.file;
    made->lacksValuesOnly = llvm::all_of(file.diagnostics, [&](const Diagnostic& d) {
      return llvm::any_of(parsed.withoutValue, [&](SourceRange stmt) {
        const llvm::StringRef text = sources.text(file.ast->id);
        return stmt.begin <= d.range.begin &&
               (d.range.begin <= stmt.end ||
                text.slice(stmt.end, d.range.begin).trim(" \t\r\n").empty());
      });
    });
    made->diagnostics = file.diagnostics;
    made->failed = true; // no name is lost, because all declarations that could be read are there
    held.push_back(std::move(made));
    known = held.back().get();
  }
  return *known;
}

bool ParsedFiles::isFolder(const std::string& path) const {
  return reader(path).problem == FileProblem::Directory;
}

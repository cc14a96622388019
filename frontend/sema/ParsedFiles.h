#pragma once
//===- ParsedFiles.h - Files read and parsed, each once -------------------------------------===//
#include "frontend/ast/StandardLibrary.h"
#include "support/Diagnostics.h"
#include "support/FileIo.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <memory>

namespace dpl {

/// A file as it was parsed: its sound declarations, and what is left of the others.
struct ParsedFile {
  const ast::File* ast = nullptr; ///< without declarations that hold a syntax error
  /// Names that a declaration with a syntax error gives: whoever meets one stays silent.
  llvm::StringSet<> lost;
  /// Words of the text that no declaration was made of. A name that is unknown and one of them was
  /// probably declared there, so nobody speaks of it.
  llvm::StringSet<> poisoned;
  bool failed = false;                 ///< it has syntax errors
  std::vector<Diagnostic> diagnostics; ///< about its text
};

/// What compilations share: the texts, the library, and every file parsed once however many of them
/// import it. Outlives them.
class ParsedFiles {
public:
  explicit ParsedFiles(SourceManager& sources, FileReader reader = readFile)
      : sources(sources), reader(std::move(reader)) {}

  /// Reports what is wrong with the text, each time; null when the file cannot be read, which is
  /// reported at `importedAt`.
  const ParsedFile* open(const std::string& path, SourceRange importedAt, DiagnosticEngine& diags);
  /// The text of a file that is no source: its id among them. What is wrong is reported at `at`.
  FailureOr<std::uint32_t> data(const std::string& path, SourceRange at, DiagnosticEngine& diags);
  /// The next `open` or `data` reads the file again. What was parsed stays valid.
  void forget(const std::string& path) { byPath.erase(path), dataByPath.erase(path); }
  /// Whether the path is a folder's.
  bool isFolder(const std::string& path) const;

  /// How many bytes all files may hold together, without those of the library.
  std::size_t limit = std::size_t{16} << 20;
  /// What a compilation of files of that size may work out.
  std::uint64_t steps() const { return limit / 2; }

  SourceManager& sources;
  Arena arena;
  StandardLibrary library{embeddedLibrary(), sources, arena};

private:
  FailureOr<std::uint32_t> load(const std::string& path, SourceRange at, DiagnosticEngine& diags);
  FileReader reader;
  std::size_t read = 0; ///< bytes of all files
  std::vector<std::unique_ptr<ParsedFile>> held;
  llvm::StringMap<const ParsedFile*> byPath;
  llvm::StringMap<std::uint32_t> dataByPath;
};

} // namespace dpl

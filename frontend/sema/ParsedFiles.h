#pragma once
//===- ParsedFiles.h - Reads and parses each file once ----------------------------------------===//
#include "frontend/ast/StandardLibrary.h"
#include "support/Diagnostics.h"
#include "support/FileIo.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <memory>

namespace dpl {

/// A parsed file: declarations without errors, and words of the others.
struct ParsedFile {
  const ast::File* ast = nullptr; ///< declarations without syntax errors
  /// Names of declarations with a syntax error. Unknown-name errors about them are suppressed.
  llvm::StringSet<> lost;
  /// Words of text without a declaration. An unknown name among them was probably declared there,
  /// so that no error is reported.
  llvm::StringSet<> poisoned;
  bool failed = false;                 ///< whether it has syntax errors
  std::vector<Diagnostic> diagnostics; ///< diagnostics of its text
};

/// Texts, library and parsed files, which compilations share. Each file is parsed once. It must
/// outlive the compilations.
class ParsedFiles {
public:
  explicit ParsedFiles(SourceManager& sources, FileReader reader = readFile)
      : sources(sources), reader(std::move(reader)) {}

  /// Opens a file and reports its errors each time. Null if it cannot be read, which is reported at
  /// `importedAt`.
  const ParsedFile* open(const std::string& path, SourceRange importedAt, DiagnosticEngine& diags);
  /// The id of the text of a data file. Errors are reported at `at`.
  FailureOr<std::uint32_t> data(const std::string& path, SourceRange at, DiagnosticEngine& diags);
  /// `path = value`, parsed once for each origin; null after a report. `origin` is what messages
  /// call its source, as "--set".
  const ast::FieldStmt* setting(const std::string& origin, const std::string& text,
                                DiagnosticEngine& diags);
  /// Makes the next `open` or `data` read the file again. Old results remain valid.
  void forget(const std::string& path) { byPath.erase(path), dataByPath.erase(path); }
  /// Whether the path is a folder.
  bool isFolder(const std::string& path) const;

  /// Limit in bytes of all files together, without the library.
  std::size_t limit = std::size_t{16} << 20;
  /// Budget of a compilation of files of that size.
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
  llvm::StringMap<const ast::FieldStmt*> settings; ///< by origin and text
};

} // namespace dpl

#pragma once
//===- ParsedFiles.h - Reads and parses each file once ----------------------------------------===//
#include "frontend/ast/StandardLibrary.h"
#include "support/Diagnostics.h"
#include "support/FileIo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <memory>

namespace dpl {

/// A parsed file: the declarations without errors, and words of the others.
struct ParsedFile {
  const ast::File* ast = nullptr; ///< declarations without syntax errors
  /// Names that a declaration with a syntax error declares. No error is reported if such a name is
  /// not known.
  llvm::StringSet<> lost;
  /// Words in text that belongs to no declaration. If a name that is not known is one of them, it
  /// was probably declared there, so no error is reported.
  llvm::StringSet<> poisoned;
  bool failed = false;                 ///< whether the file has syntax errors
  std::vector<Diagnostic> diagnostics; ///< diagnostics about its text
  /// Whether each syntax error is a missing or wrong value of a statement that is kept. It is set
  /// by `withDamaged`.
  bool lacksValuesOnly = false;
};

/// Texts, library and parsed files, which several compilations share. Each file is parsed once. The
/// object must outlive the compilations.
class ParsedFiles {
public:
  explicit ParsedFiles(SourceManager& sources, FileReader reader = readFile)
      : sources(sources), reader(std::move(reader)) {}

  /// Opens a file. Its errors are reported each time. Null if it cannot be read, which is reported
  /// at `importedAt`.
  const ParsedFile* open(const std::string& path, SourceRange importedAt, DiagnosticEngine& diags);
  /// The same file with its damaged declarations (Damaged::Keep); nothing is reported. It is the
  /// file itself if it has no syntax error.
  const ParsedFile& withDamaged(const ParsedFile& file);
  /// The id of a data file among the sources. Errors are reported at `at`.
  FailureOr<std::uint32_t> data(const std::string& path, SourceRange at, DiagnosticEngine& diags);
  /// Parses an override `path = value`, once for each origin. Null after an error was reported.
  /// `origin` is how messages name its source: "--set".
  const ast::FieldStmt* setting(const std::string& origin, const std::string& text,
                                DiagnosticEngine& diags);
  /// Makes the next `open` or `data` read a file again. Earlier results remain valid.
  void forget(const std::string& path) { byPath.erase(path), dataByPath.erase(path); }
  /// Whether the path is a folder.
  bool isFolder(const std::string& path) const;

  /// Limit on the bytes of all files together, without the library.
  std::size_t limit = std::size_t{16} << 20;
  /// Bytes of all files that were read, each version of a file counted.
  std::size_t bytesRead() const { return read; }
  /// The budget of a compilation, which depends on this limit.
  std::uint64_t steps() const { return limit / 2; }

  SourceManager& sources;
  Arena arena;
  StandardLibrary library{embeddedLibrary(), sources, arena};

private:
  FailureOr<std::uint32_t> load(const std::string& path, SourceRange at, DiagnosticEngine& diags);
  FileReader reader;
  std::size_t read = 0; ///< bytes of all files that were read
  std::vector<std::unique_ptr<ParsedFile>> held;
  llvm::StringMap<const ParsedFile*> byPath;
  llvm::StringMap<std::uint32_t> dataByPath;
  llvm::DenseMap<const ParsedFile*, const ParsedFile*> damaged; ///< results of `withDamaged`
  llvm::StringMap<const ast::FieldStmt*> settings;              ///< overrides by origin and text
};

} // namespace dpl

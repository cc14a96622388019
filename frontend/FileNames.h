#pragma once
//===- FileNames.h - What the names of a file and its imports mean, for editors ---------------===//
#include "frontend/names/NameInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <optional>

namespace dpl {
class ParsedFiles;

/// The names of a file and of the files that it imports. Declarations with syntax errors keep their
/// sound statements here, so a half-typed line takes no meaning from the lines around it. Nothing
/// is reported, and no plan is made: `Compilation` does both, and leaves damaged declarations out,
/// because figures of a layout that lacks a line would be wrong. Values are evaluated on request.
class FileNames {
public:
  FileNames(std::shared_ptr<ParsedFiles> files, const std::string& path);
  ~FileNames();

  /// The texts that the ranges refer to. They stay valid as long as this object.
  const SourceManager& sources() const;

  /// The id of the file among the sources; none if it cannot be read.
  std::optional<std::uint32_t> source() const;
  /// The ids of the file and of all files that it imports, also indirectly; library modules are
  /// left out.
  std::vector<std::uint32_t> files() const;

  /// All names of a file in the order of its text. The file is one of `files`, or a library module.
  llvm::ArrayRef<NameUse> uses(std::uint32_t file);
  /// The name at a byte of a file; none if there is none. A name includes the byte after its end.
  std::optional<NameUse> useAt(std::uint32_t file, std::uint32_t byte);
  std::optional<NameInfo> at(std::uint32_t file, std::uint32_t byte);
  /// The uses of a declaration in `files`, the declaration itself included.
  std::vector<NameUse> references(SourceRange declaration);
  /// What may be written at a byte of a file.
  Expected expectedAt(std::uint32_t file, std::uint32_t byte);
  /// The statements of a file that set fields, in the order of its text.
  std::vector<FieldSetting> settings(std::uint32_t file);
  /// The declarations of a file in the order of its text.
  std::vector<Symbol> outline(std::uint32_t file);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace dpl

#pragma once
//===- SourceManager.h - The source texts of one compilation, and positions in them -----------===//
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dpl {

/// A half-open byte range of a file. File 0 does not exist: a default range has no place.
struct SourceRange {
  std::uint32_t file = 0, begin = 0, end = 0;
  bool valid() const { return file != 0; }
  bool operator==(const SourceRange&) const = default;
};

/// 1-based line and column; the column counts Unicode code points.
struct LineColumn {
  std::uint32_t line = 1, column = 1;
};

/// Owns the texts of all files that were read. Texts of library files are embedded and not copied.
class SourceManager {
public:
  /// Adds a file under its name for messages, and returns its id, which is at least 1. `skipped` is
  /// the size of a byte order mark that was removed.
  std::uint32_t add(std::string name, std::string text, std::uint32_t skipped = 0);
  std::uint32_t addStatic(std::string name, llvm::StringRef text);

  /// Adds part of one line of a file as a separate text for the parser. The text has the file's
  /// name, line numbers, columns and `skipped`.
  std::uint32_t addPart(SourceRange line);

  /// Adds one line of a file that is read line by line, as a text that starts at that line.
  std::uint32_t addLine(std::string name, std::string text, std::uint32_t line);

  llvm::StringRef text(std::uint32_t file) const;
  llvm::StringRef text(SourceRange r) const;
  llvm::StringRef name(std::uint32_t file) const;
  /// The number of bytes by which an offset in the file on disk exceeds the offset in the text.
  std::uint32_t skipped(std::uint32_t file) const;
  LineColumn at(std::uint32_t file, std::uint32_t byte) const;
  /// The offset of a line and column; none if the file does not have that place.
  std::optional<std::uint32_t> byteAt(std::uint32_t file, LineColumn place) const;
  /// The whole line that contains the byte, without the newline.
  llvm::StringRef line(std::uint32_t file, std::uint32_t byte) const;
  std::size_t files() const { return entries.size(); }
  /// The place as text, "plans/dense.dpl:21:3"; "" for a range without a place.
  std::string describe(SourceRange r) const;

private:
  struct SourceEntry {
    std::string name, owned;
    llvm::StringRef text;
    std::uint32_t skipped = 0;
    LineColumn first;                              ///< position in the file at which this text
                                                   ///< starts
    mutable std::vector<std::uint32_t> lineStarts; ///< computed on first use
  };
  const SourceEntry& entry(std::uint32_t file) const;
  const std::vector<std::uint32_t>& lines(const SourceEntry& e) const;
  std::vector<std::unique_ptr<SourceEntry>> entries;
};

} // namespace dpl

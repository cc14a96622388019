#pragma once
//===- SourceManager.h - The texts of one compilation and places in them ----------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dpl {

/// Half-open byte range of one file. File 0 is "nowhere": a default-made range is not located.
struct SourceRange {
  std::uint32_t file = 0, begin = 0, end = 0;
  bool valid() const { return file != 0; }
  bool operator==(const SourceRange&) const = default;
};

/// 1-based line and column; the column counts Unicode code points.
struct LineColumn {
  std::uint32_t line = 1, column = 1;
};

/// Owns the text of every file that was read. Library files hold a view of the embedded text.
class SourceManager {
public:
  /// `name` is what messages print. Returns the file's id, from 1.
  /// `skipped` bytes stood before the text on disk: a byte order mark.
  std::uint32_t add(std::string name, std::string text, std::uint32_t skipped = 0);
  std::uint32_t addStatic(std::string name, llvm::StringRef text);

  /// A part of a file's one line as a text of its own, for what is parsed alone. Its name, lines,
  /// columns and `skipped` are those of the file.
  std::uint32_t addPart(SourceRange line);

  /// One line of a file that is read piece by piece, as a text of its own that begins where that
  /// line does.
  std::uint32_t addLine(std::string name, std::string text, std::uint32_t line);

  llvm::StringRef text(std::uint32_t file) const;
  llvm::StringRef text(SourceRange r) const;
  llvm::StringRef name(std::uint32_t file) const;
  /// What to add to an offset to get one in the file on disk.
  std::uint32_t skipped(std::uint32_t file) const;
  LineColumn at(std::uint32_t file, std::uint32_t byte) const;
  /// The reverse; nothing where the file has no such place.
  std::optional<std::uint32_t> byteAt(std::uint32_t file, LineColumn place) const;
  /// The whole line that holds the byte, without its line end.
  llvm::StringRef line(std::uint32_t file, std::uint32_t byte) const;
  std::size_t files() const { return entries.size(); }
  /// "plans/dense.dpl:21:3"; "" for an unlocated range.
  std::string describe(SourceRange r) const;

private:
  struct SourceEntry {
    std::string name, owned;
    llvm::StringRef text;
    std::uint32_t skipped = 0;
    LineColumn first; ///< where the text begins in the file that it is a part of
    mutable std::vector<std::uint32_t> lineStarts; ///< made at the first question
  };
  const SourceEntry& entry(std::uint32_t file) const;
  const std::vector<std::uint32_t>& lines(const SourceEntry& e) const;
  std::vector<std::unique_ptr<SourceEntry>> entries;
};

} // namespace dpl

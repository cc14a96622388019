#pragma once
//===- Positions.h - Positions of the Language Server Protocol in a text ----------------------===//
#include "support/Json.h"
#include "support/SourceManager.h"

namespace dpl::tool {

/// The unit of `character` in positions, which client and server agree on.
enum class PositionEncoding : std::uint8_t { Utf16, Utf8 };

/// The length of a part of a line in units of `character`.
std::size_t unitsOf(llvm::StringRef part, PositionEncoding encoding);

/// The lines of a text. The text must outlive this object.
class LineIndex {
public:
  LineIndex(llvm::StringRef text, PositionEncoding encoding);

  /// `{"line": 3, "character": 7}`, both from 0.
  Json position(std::size_t byte) const;
  Json range(std::size_t begin, std::size_t end) const;
  /// The byte of a position. A position after the end of a line or of the text is that end, and a
  /// value that is not a position is the start of the text.
  std::size_t byteAt(const Json& position) const;
  std::size_t lineOf(std::size_t byte) const; ///< from 0
  std::size_t startOf(std::size_t line) const;
  std::size_t lines() const { return starts.size(); }

private:
  llvm::StringRef text;
  PositionEncoding encoding;
  std::vector<std::size_t> starts; ///< of each line
  /// The last place that was asked for. The next one on its line is counted from there, since a
  /// line may be as long as a file.
  mutable std::size_t lastByte = 0, lastCharacter = 0;
};

/// Members of messages, which may have any type: the text, or a whole number, of a member; empty or
/// `otherwise` if it has another type.
std::string textAt(const Json& object, llvm::StringRef key);
std::int64_t wholeAt(const Json& object, llvm::StringRef key, std::int64_t otherwise);

/// The path of a file from its URI, "file:///home/a%20b.dpl". Another URI, as of a text that has no
/// file yet, is its own path.
std::string pathOfUri(llvm::StringRef uri);
std::string uriOfPath(llvm::StringRef path);

} // namespace dpl::tool

#pragma once
//===- ScriptCursor.h - Position in the text of a shell script --------------------------------===//
#include "support/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>
#include <vector>

namespace dpl::imports::shell {

bool nameStart(char c);
bool nameChar(char c);
/// Whether a `$` before this character begins an expansion.
bool expands(char c);
inline bool isAny(llvm::StringRef word, std::initializer_list<const char*> words) {
  return llvm::is_contained(words, word);
}

struct ReadPosition {
  llvm::StringRef text;
  std::uint32_t file;
  std::size_t at = 0;
};

/// A here-document. Its text follows the line with `<<`.
struct HereDocument {
  std::string end;
  bool tabs;   ///< whether it is `<<-`, so that tabs before the end word are ignored
  bool quoted; ///< whether its text is not expanded
  std::size_t begin = 0, behind = 0;
};

/// Reads the characters of a script. `enter` switches to another text.
class ScriptCursor {
public:
  ScriptCursor(llvm::StringRef text, std::uint32_t file) : place{text, file} {}

  llvm::StringRef text() const { return place.text; }
  std::uint32_t file() const { return place.file; }
  std::size_t position() const { return place.at; }
  const ReadPosition& current() const { return place; }
  bool done() const { return place.at >= place.text.size(); }
  char peek(std::size_t ahead = 0) const {
    return place.at + ahead < place.text.size() ? place.text[place.at + ahead] : '\0';
  }
  void advance(std::size_t count = 1) { place.at += count; }
  void moveTo(std::size_t where) { place.at = where; }
  /// Switches to another text. Returns the position in the previous one.
  ReadPosition enter(ReadPosition other) { return std::exchange(place, other); }
  SourceRange from(std::size_t begin) const;
  llvm::StringRef written(std::size_t begin) const { return place.text.slice(begin, place.at); }
  void skipBlanks();
  void skipLine();
  /// Skips the end of a line and the here-documents of that line.
  void newline();
  /// The text up to the closing bracket or quote. Brackets may nest. The cursor is after the
  /// opening one.
  std::string untilClosed(char open, char close);
  /// Whether the statement before the cursor runs in a pipe or in the background.
  bool pipeFollows();
  void announce(HereDocument document) { announced.push_back(std::move(document)); }
  /// Returns the here-documents after the last line, and clears their list.
  std::vector<HereDocument> releaseDocuments() { return std::exchange(passed, {}); }

private:
  ReadPosition place;
  std::vector<HereDocument> announced, passed; ///< documents of this line, and of the line before
};

} // namespace dpl::imports::shell

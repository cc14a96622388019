#pragma once
//===- Expansion.h - The words of a shell script ----------------------------------------------===//
#include "frontend/import/shell/ShellVariables.h"
#include "llvm/ADT/StringRef.h"
#include <utility>

namespace dpl::imports::megatron {

bool nameStart(char c);
bool nameChar(char c);

/// Reads words and expands what stands in them without running anything. What depends on the
/// surroundings (`$SLURM_NNODES`, `$(hostname)`) stays as it is written, with a doubt.
class Expansion {
public:
  Expansion(llvm::StringRef text, std::uint32_t file, ShellVariables& variables)
      : text(text), file(file), variables(variables) {}

  bool done() const { return at >= text.size(); }
  char peek(std::size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  SourceRange from(std::size_t begin) const;
  void skipBlanks();
  void skipLine();
  /// Past the end of a line and of the here-documents that it announced.
  void newline();
  /// Words up to the end of the command, or of the array with `closing` = ')'.
  ShellWords words(char closing);
  /// One word, expanded: none or several where a variable is not quoted.
  ShellWords word();
  /// The text between brackets, which may nest; `at` stands behind the opening one.
  std::string untilClosed(char open, char close);
  /// The value of what stands between `((` and `))`; `begin` is where they begin.
  ShellWord calculated(const std::string& expression, std::size_t begin) {
    return arithmetic(expression, begin);
  }
  /// One statement's values may have `most` bytes together, those of a script `mostOfAll`, and no
  /// more words than `Variables` holds.
  bool tooLong() const { return statement > most || all > mostOfAll || variables.tooMany(); }
  void beginStatement() { statement = 0; }
  void exceed() { all = mostOfAll + 1; }
  /// Reads on in another text; what was read before is what it gives.
  struct ReadPosition {
    llvm::StringRef text;
    std::uint32_t file;
    std::size_t at;
  };
  ReadPosition enter(ReadPosition place) {
    std::swap(place.text, text), std::swap(place.file, file), std::swap(place.at, at);
    return place;
  }
  /// Here-documents that the last end of a line was followed by.
  struct Document {
    std::string end;
    bool tabs;   ///< `<<-`: tabs before the end do not count
    bool quoted; ///< nothing in it is expanded
    std::size_t begin = 0, behind = 0;
  };
  std::vector<Document> releaseDocuments() { return std::exchange(read, {}); }
  /// Reads a document as the shell that gets it: `\$` is `$` there.
  bool escaped = false;
  std::size_t position() const { return at; }
  void moveTo(std::size_t where) { at = where; }
  llvm::StringRef written(std::size_t begin) const { return text.slice(begin, at); }

  static constexpr std::size_t most = std::size_t{64} << 10, mostOfAll = std::size_t{16} << 20;

private:
  using DoubtPointer = std::shared_ptr<const Doubt>;
  void dollar(bool quoted, ShellWords& out, bool& open);
  /// `inside` as between double quotes.
  ShellWord inQuotes(llvm::StringRef inside, std::size_t begin);
  ShellWord arithmetic(const std::string& expression, std::size_t begin);
  ShellWord first(const std::string& name, const std::string& otherwise, std::size_t begin);
  void whole(const ShellVariable& variable, bool quoted, ShellWords& out, bool& open,
             std::size_t begin);
  void operation(const std::string& name, llvm::StringRef rest, bool quoted, ShellWords& out,
                 bool& open, std::size_t begin);
  bool changes(const std::string& name, llvm::StringRef rest, bool quoted, ShellWords& out,
               bool& open, std::size_t begin);
  std::optional<ShellVariable> slice(const std::string& name, llvm::StringRef rest) const;
  bool measured(llvm::StringRef inside, bool quoted, ShellWords& out, bool& open,
                std::size_t begin);
  void doubleQuoted(ShellWords& out, bool& open, std::size_t begin);
  void redirection();
  DoubtPointer outside(std::size_t begin, const std::string& variable) const;
  void append(ShellWords& out, bool& open, llvm::StringRef piece, bool split, std::size_t begin,
              const DoubtPointer& doubt = nullptr);
  void appendParts(ShellWords& out, bool& open, llvm::StringRef piece, std::size_t begin,
                   const DoubtPointer& doubt);
  std::string unknownIn(llvm::StringRef expression) const;
  DoubtPointer causeOf(llvm::StringRef part, const DoubtPointer& doubt) const;
  DoubtPointer causeOf(const std::string& name, std::size_t begin) const;

  llvm::StringRef text;
  std::uint32_t file;
  ShellVariables& variables;
  std::size_t at = 0, statement = 0, all = 0;
  unsigned depth = 0;                    ///< of expansions within expansions
  std::vector<Document> documents, read; ///< announced in this line; that stood behind it
};

} // namespace dpl::imports::megatron

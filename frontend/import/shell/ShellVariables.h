#pragma once
//===- ShellVariables.h - The variables of a shell script -------------------------------------===//
#include "support/SourceManager.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dpl::imports::shell {

/// The reason why a text is not known: it comes from the environment, or from a statement that is
/// not followed.
struct Doubt {
  SourceRange at;
  std::string what;     ///< the statement or expansion as it is written
  std::string variable; ///< variable that `--define` can set; empty if none would help
  bool outside = false; ///< whether the text is not set in the file
  std::string decides;  ///< another variable, on which it depends whether the statement runs
  std::shared_ptr<const Doubt> before; ///< reason why the previous value was not known, or null
  unsigned earlier = 0;                ///< length of the chain `before`
};

/// An expanded word, and its place or that of the variable that contained it. If there is a doubt,
/// the text is as it is written.
struct ShellWord {
  std::string text;
  SourceRange at;
  std::shared_ptr<const Doubt> doubt;
};
using ShellWords = std::vector<ShellWord>;

/// Joins the words with blanks.
std::string joined(const ShellWords& words);

struct ShellVariable {
  ShellWords words; ///< the value: one word, or the elements of an array
  bool array = false;
  std::size_t bytes = 0; ///< bytes of the words, plus one per word; computed by `ShellVariables`
};

/// The variables of a script, with a history of their changes, which can be rolled back.
class ShellVariables {
public:
  explicit ShellVariables(const std::vector<std::pair<std::string, std::string>>& given);

  const ShellVariable* find(const std::string& name) const;
  /// Sets a variable; does nothing if `--define` set it.
  void set(const std::string& name, ShellVariable value);
  /// Executes `NAME+=value` or `NAME+=( … )` for a variable that is set. False if the value would
  /// have more than `most` bytes, where each word counts one byte more.
  bool add(const std::string& name, ShellWords added, bool asArray, std::size_t most);
  /// Marks the value of a variable as unknown.
  void doubt(const std::string& name, SourceRange at, const std::string& what,
             const std::string& decides = "");
  void doubtAll(SourceRange at, const std::string& what);
  /// Sets `$@`, `$#` and the positional arguments `$1`, `$2` and so on.
  void setArguments(const ShellWords& words);
  std::optional<ShellWords> arguments() const; ///< empty if they are not known
  /// Executes `shift COUNT`. False if the remaining arguments are not known.
  bool shift(llvm::StringRef count);
  /// Marks `$@`, `$#` and all positional arguments as unknown.
  void doubtPositional(SourceRange at, const std::string& what);

  std::size_t mark() const { return changes.size(); }
  std::vector<std::string> changedSince(std::size_t mark) const;
  /// The value that a variable had at `mark`.
  ShellVariable at(const std::string& name, std::size_t mark) const;
  /// Whether `holds` is true for all values since `mark`, from the last to the first. If a value
  /// only adds words to the previous one, only the longer one is checked.
  bool everySince(const std::string& name, std::size_t mark,
                  llvm::function_ref<bool(const ShellVariable&)> holds) const;
  /// Whether any value of a variable was the name of a Python script.
  bool hasNamedAScript(const std::string& name) const { return scripts.count(name) != 0; }
  void rollBack(std::size_t mark);
  /// Whether the values, current and earlier ones together, have more than `mostWords` words.
  bool tooMany() const { return wordsHeld > mostWords; }
  static constexpr std::size_t mostWords = 1'000'000;

private:
  void giveArguments(llvm::StringRef value);
  static constexpr std::size_t none = ~std::size_t{0};
  /// The size of a value before `+=`. With it the old value need not be stored.
  struct LengthBefore {
    std::size_t words, bytes;
    bool array;
    std::size_t word = none;   ///< index of the word to which text was added
    std::size_t wordBytes = 0; ///< bytes of that word
    std::shared_ptr<const Doubt> doubt;
    bool whole = true; ///< whether only whole words were added
  };
  struct VariableChange {
    std::string name;
    std::size_t previous; ///< index of the previous change of the same variable
    std::size_t words;    ///< words that the change added to `wordsHeld`
    std::optional<ShellVariable> before;
    std::optional<LengthBefore> length; ///< set in place of `before` if the change was `+=`
  };
  struct VariableState {
    ShellVariable value;
    std::size_t last = none; ///< index of the last change of the variable
  };
  void noteScript(const std::string& name, llvm::StringRef text);
  static void undo(const VariableChange& change, ShellVariable& value);
  std::map<std::string, VariableState> states;
  std::map<std::string, bool> fixed;
  std::set<std::string> scripts;
  std::vector<VariableChange> changes;
  std::size_t wordsHeld = 0;
};

} // namespace dpl::imports::shell

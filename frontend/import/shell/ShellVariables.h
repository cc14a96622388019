#pragma once
//===- ShellVariables.h - The variables of a followed script ----------------------------------===//
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

/// Why a text is not known: it comes from outside of the file, or a statement that nobody runs here
/// may have set it.
struct Doubt {
  SourceRange at;
  std::string what;     ///< the statement, or the expansion, as written
  std::string variable; ///< that `--define` would give; "" when none would help
  bool outside = false; ///< not set in the file at all
  std::string decides;  ///< another variable, on which it depends whether the statement runs
  std::shared_ptr<const Doubt> before; ///< in what the statement may have added to, not without end
  unsigned earlier = 0;                ///< as many
};

/// A word of a command after all expansions, and where it, or the variable that held it, stands.
/// With a doubt, the text is as the script has it.
struct ShellWord {
  std::string text;
  SourceRange at;
  std::shared_ptr<const Doubt> doubt;
};
using ShellWords = std::vector<ShellWord>;

/// With a blank between each two.
std::string joined(const ShellWords& words);

struct ShellVariable {
  ShellWords words; ///< of a plain variable the one value
  bool array = false;
  std::size_t bytes = 0; ///< of the words, and one behind each; `ShellVariables` counts them
};

/// The variables, with a record of every change that can be taken back.
class ShellVariables {
public:
  explicit ShellVariables(const std::vector<std::pair<std::string, std::string>>& given);

  const ShellVariable* find(const std::string& name) const;
  /// Nothing for what was given from outside: that stands.
  void set(const std::string& name, ShellVariable value);
  /// `NAME+=value` or `NAME+=( … )` to a variable that is set; false where it becomes longer than
  /// `most` bytes, with one behind each word.
  bool add(const std::string& name, ShellWords added, bool asArray, std::size_t most);
  /// The variable has a value that nobody knows.
  void doubt(const std::string& name, SourceRange at, const std::string& what,
             const std::string& decides = "");
  void doubtAll(SourceRange at, const std::string& what);
  /// `$@`, `$#` and `$1` to `$9` or more.
  void setArguments(const ShellWords& words);
  std::optional<ShellWords> arguments() const; ///< nothing where nobody knows them
  /// `shift COUNT`; false where what is left is not known.
  bool shift(llvm::StringRef count);
  /// `$@` and the arguments that it stands for, where `--define` gave them.
  void doubtPositional(SourceRange at, const std::string& what);

  std::size_t mark() const { return changes.size(); }
  std::vector<std::string> changedSince(std::size_t mark) const;
  /// What the variable held then.
  ShellVariable at(const std::string& name, std::size_t mark) const;
  /// Whether `holds` is true of every value since then but the one of then, the last one first. Of
  /// values to each of which the next one adds words, the last stands for all.
  bool everySince(const std::string& name, std::size_t mark,
                  llvm::function_ref<bool(const ShellVariable&)> holds) const;
  /// Whether a value of it, now or before, named a Python script.
  bool hasNamedAScript(const std::string& name) const { return scripts.count(name) != 0; }
  void rollBack(std::size_t mark);
  /// The words in all values that are held, those of before included, are more than `mostWords`.
  bool tooMany() const { return wordsHeld > mostWords; }
  static constexpr std::size_t mostWords = 1'000'000;

private:
  void giveArguments(llvm::StringRef value);
  static constexpr std::size_t none = ~std::size_t{0};
  /// What `+=` found, so that a value of before need not be kept.
  struct LengthBefore {
    std::size_t words, bytes;
    bool array;
    std::size_t word = none;   ///< to which text was added
    std::size_t wordBytes = 0; ///< of that word
    std::shared_ptr<const Doubt> doubt;
    bool whole = true; ///< what was added is words behind the others
  };
  struct VariableChange {
    std::string name;
    std::size_t previous; ///< change of the variable
    std::size_t words;    ///< that it added to those held
    std::optional<ShellVariable> before;
    std::optional<LengthBefore> length; ///< in place of `before`
  };
  struct VariableState {
    ShellVariable value;
    std::size_t last = none; ///< change
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

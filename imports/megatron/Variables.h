#pragma once
//===- Variables.h - What the variables of a followed script hold -----------------------------===//
#include "support/SourceManager.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dpl::imports::megatron {

/// Why a text is not known: it comes from outside of the file, or a statement that nobody runs here
/// may have set it.
struct Doubt {
  SourceRange at;
  std::string what;     ///< the statement, or the expansion, as written
  std::string variable; ///< that `--define` would give; "" when none would help
  bool outside = false; ///< not set in the file at all
  std::string decides;  ///< another variable, on which it depends whether the statement runs
};

/// A word of a command after all expansions, and where it, or the variable that held it, stands.
/// With a doubt, the text is as the script has it.
struct Word {
  std::string text;
  SourceRange at;
  std::shared_ptr<const Doubt> doubt;
};
using Words = std::vector<Word>;

/// With a blank between each two.
std::string joined(const Words& words);

struct Variable {
  Words words; ///< of a plain variable the one value
  bool array = false;
};

/// The variables, with a record of every change that can be taken back.
class Variables {
public:
  explicit Variables(const std::vector<std::pair<std::string, std::string>>& given);

  const Variable* find(const std::string& name) const;
  /// Nothing for what was given from outside: that stands.
  void set(const std::string& name, Variable value);
  /// The variable has a value that nobody knows.
  void doubt(const std::string& name, SourceRange at, const std::string& what,
             const std::string& decides = "");
  void doubtAll(SourceRange at, const std::string& what);
  /// `$@`, `$#` and `$1` to `$9` or more.
  void setArguments(const Words& words);
  std::optional<Words> arguments() const; ///< nothing where nobody knows them
  /// `shift COUNT`; false where what is left is not known.
  bool shift(llvm::StringRef count);
  /// `$@` and the arguments that it stands for, where `--define` gave them.
  void doubtPositional(SourceRange at, const std::string& what);

  std::size_t mark() const { return changes.size(); }
  std::vector<std::string> changedSince(std::size_t mark) const;
  /// What the variable held then, and every value that it has had since.
  std::vector<Variable> since(const std::string& name, std::size_t mark) const;
  /// Whether a value of it, now or before, named a Python script.
  bool hasNamedAScript(const std::string& name) const { return scripts.count(name) != 0; }
  void rollBack(std::size_t mark);

private:
  void giveArguments(llvm::StringRef value);
  struct Change {
    std::string name;
    std::optional<Variable> before;
  };
  std::map<std::string, Variable> held;
  std::map<std::string, bool> fixed;
  std::set<std::string> scripts;
  std::vector<Change> changes;
};

} // namespace dpl::imports::megatron

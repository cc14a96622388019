#pragma once
//===- Dollar.h - Expansions of a shell script that begin with `$` ----------------------------===//
#include "frontend/import/shell/Expansion.h"

namespace dpl::imports::shell {

/// Expands `$NAME`, `${NAME…}`, `$((…))` or `$(…)` at the cursor.
class Dollar {
public:
  Dollar(ScriptCursor& in, ShellVariables& variables, Expansion& expansion, WordList& out,
         bool quoted)
      : in(in), variables(variables), expansion(expansion), out(out), quoted(quoted),
        begin(in.position()) {}
  /// Adds the value to the words. Afterwards the cursor is behind the expansion.
  void expand();

private:
  void add(llvm::StringRef text, bool split, const DoubtPointer& doubt = nullptr) {
    out.append(text, split, begin, doubt);
  }
  void addUnknown(const DoubtPointer& doubt) { add(in.written(begin), false, doubt); }
  void addAll(const ShellVariable& variable);
  void addValueOf(const std::string& name) {
    addAll({{expansion.valueOf(name, "", begin)}, false});
  }
  void operation(const std::string& name, llvm::StringRef rest);
  bool changes(const std::string& name, llvm::StringRef rest);
  bool measured(llvm::StringRef inside);
  std::optional<ShellVariable> slice(const std::string& name, llvm::StringRef rest) const;
  DoubtPointer causeOf(const std::string& name) const;

  ScriptCursor& in;
  ShellVariables& variables;
  Expansion& expansion;
  WordList& out;
  bool quoted;
  std::size_t begin;
};

} // namespace dpl::imports::shell

#pragma once
//===- MissingInputs.h - Values that an imported file does not contain ------------------------===//
#include "support/Diagnostics.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// Collects missing inputs and reports them at once. The help lists all definitions, so that they
/// can be copied.
class MissingInputs {
public:
  /// Adds an input: `what` is not known at `at`, and the definition `define` sets it:
  /// "NODES=NUMBER". Each name is added once.
  void add(SourceRange at, const std::string& what, const std::string& define);
  bool empty() const { return missing.empty(); }
  /// Adds a definition to the help only, because another report names the missing input.
  void addElsewhere(const std::string& define);
  /// Reports all missing inputs in one message, if there are any.
  void report(DiagnosticEngine& diags) const;
  /// The sentence "`--define A=VALUE` says it". `words` are not shortened, even if they are long.
  static std::string help(const std::string& words, const std::string& says);

private:
  struct MissingInput {
    SourceRange at;
    std::string what, define;
  };
  std::vector<MissingInput> missing;
  std::vector<std::string> elsewhere; ///< definitions that are only listed in the help
};

} // namespace dpl::imports

#pragma once
//===- MissingInputs.h - Values that an imported file does not contain ------------------------===//
#include "support/Diagnostics.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// Collects missing inputs for one report, whose help lists all definitions to copy.
class MissingInputs {
public:
  /// `what` is unknown at that place; `define` sets it: "NODES=NUMBER". Each name is added once.
  void add(SourceRange at, const std::string& what, const std::string& define);
  bool empty() const { return missing.empty(); }
  /// Adds a definition to the help only, because another report names what is missing.
  void addElsewhere(const std::string& define);
  /// Reports all missing inputs in one message; does nothing if there are none.
  void report(DiagnosticEngine& diags) const;
  /// The sentence "`--define A=VALUE` says it", with `words` in full even if they are long.
  static std::string help(const std::string& words, const std::string& says);

private:
  struct MissingInput {
    SourceRange at;
    std::string what, define;
  };
  std::vector<MissingInput> missing;
  std::vector<std::string> elsewhere; ///< definitions
};

} // namespace dpl::imports

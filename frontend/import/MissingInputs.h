#pragma once
//===- MissingInputs.h - What nobody knows and `--define` would say
//----------------------------===//
#include "support/Diagnostics.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// Collects what is missing, so that all of it is asked for in one report with the words to copy.
class MissingInputs {
public:
  /// `what` is missing there, and `define` would say it: "NODES=NUMBER". Once for a name.
  void add(SourceRange at, const std::string& what, const std::string& define);
  bool empty() const { return missing.empty(); }
  /// Another report asks for `define`: it only stands among the words to copy.
  void addElsewhere(const std::string& define);
  /// Nothing where nothing is missing.
  void report(DiagnosticEngine& diags) const;
  /// "`--define A=VALUE` says it", with the words to copy whole.
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

#pragma once
//===- UnsupportedOptions.h - What a plan cannot say, and the words that go without it
//---------===//
#include "support/Diagnostics.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// Collects what stops an import and `--ignore` would go without, so that the last report of it has
/// the words for all to copy.
class UnsupportedOptions {
public:
  /// `lenient`: `--lenient` goes without it, too. `meant` is "did you mean `a`?", or empty.
  void add(SourceRange at, const std::string& name, bool lenient, const std::string& meant) {
    all.push_back({at, name, lenient, meant});
  }
  /// Whether more reports than are shown were collected, so that no more help is worth its time.
  bool many() const { return all.size() > 500; }
  /// One report each; `whole` is what is imported: "launch".
  void report(DiagnosticEngine& diags, const char* whole);

private:
  struct UnsupportedOption {
    SourceRange at;
    std::string name;
    bool lenient = false;
    std::string meant;
  };
  std::vector<UnsupportedOption> all;
};

} // namespace dpl::imports

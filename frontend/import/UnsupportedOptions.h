#pragma once
//===- UnsupportedOptions.h - Options and settings that a plan cannot express -----------------===//
#include "support/Diagnostics.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// Collects unsupported options that `--ignore` can drop. The last report's help lists all of them
/// in one `--ignore` to copy.
class UnsupportedOptions {
public:
  /// `lenient`: `--lenient` drops it too. `meant` is "did you mean `a`?", or empty.
  void add(SourceRange at, const std::string& name, bool lenient, const std::string& meant) {
    all.push_back({at, name, lenient, meant});
  }
  /// Whether there are more than messages show, so that callers stop searching for similar names.
  bool many() const { return all.size() > 500; }
  /// Reports each option. `whole` names what is imported: "launch".
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

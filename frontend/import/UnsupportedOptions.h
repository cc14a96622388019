#pragma once
//===- UnsupportedOptions.h - Options and settings that a plan cannot express -----------------===//
#include "support/Diagnostics.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// Collects unsupported options that `--ignore` can leave out. The help of the last report lists
/// all of them in one `--ignore`, so that it can be copied.
class UnsupportedOptions {
public:
  /// Adds an option. `lenient` says whether `--lenient` leaves it out too. `meant` is "did you mean
  /// `a`?", or empty.
  void add(SourceRange at, const std::string& name, bool lenient, const std::string& meant) {
    all.push_back({at, name, lenient, meant});
  }
  /// Whether there are more options than messages show. Callers then stop to search for similar
  /// names.
  bool many() const { return all.size() > 500; }
  /// Reports each option. `whole` is a word for what is imported: "launch".
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

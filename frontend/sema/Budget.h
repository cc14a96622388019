#pragma once
//===- Budget.h - Limit for the work of one compilation ---------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::sema {

/// Limits the work of a compilation. It counts values, not time, so that every machine refuses the
/// same file at the same place. A file of a few hundred bytes can ask for more values than fit into
/// memory. A step takes at most about 100 ns and 100 bytes.
class Budget {
public:
  Budget(DiagnosticEngine& diags, std::uint64_t most) : diags(diags), most(most) {}

  /// Limit on the values, blocks or schemas that wait for one another, so that the stack is large
  /// enough.
  static constexpr std::size_t deepest = 256;

  /// Uses steps. False if the budget is used up, which is reported once, at `at`.
  bool spend(std::uint64_t steps, SourceRange at) {
    if (used > most)
      return false;
    used += std::min(steps, most + 1);
    return used <= most || refuse(at);
  }
  bool spent() const { return used > most; }
  /// Begins a new budget, for the next compilation.
  void restart() { used = 0; }

private:
  bool refuse(SourceRange at);
  DiagnosticEngine& diags;
  std::uint64_t most, used = 0;
};

} // namespace dpl::sema

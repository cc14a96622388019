#pragma once
//===- Budget.h - How much one compilation may work out ---------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::sema {

/// A file of a few hundred bytes can ask for more values than any machine has memory for, so what
/// is worked out is counted, not timed: every machine refuses the same file at the same place. A
/// step stands for some 100 ns and some 100 bytes at most.
class Budget {
public:
  Budget(DiagnosticEngine& diags, std::uint64_t most) : diags(diags), most(most) {}

  /// How many values, blocks or schemas may each wait for the next, so that the stack suffices.
  static constexpr std::size_t deepest = 256;

  /// False when the budget is used up, which is reported once, at `at`.
  bool spend(std::uint64_t steps, SourceRange at) {
    if (used > most)
      return false;
    used += std::min(steps, most + 1);
    return used <= most || refuse(at);
  }
  bool spent() const { return used > most; }

private:
  bool refuse(SourceRange at);
  DiagnosticEngine& diags;
  std::uint64_t most, used = 0;
};

} // namespace dpl::sema

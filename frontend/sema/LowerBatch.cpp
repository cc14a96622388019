//===- LowerBatch.cpp - Lowers a batch in tokens, sequences or samples ------------------------===//
#include "frontend/sema/Lowering.h"
#include "support/diagnostics/Layout.h"

using namespace dpl;
using namespace dpl::sema;

namespace {

struct Conversion {
  Lowering& to;
  const ObjectFields& layout;
  llvm::StringRef field;
  ir::BatchUnitKind unit;
  SourceRange range;

  std::uint64_t wrongUnit(const char* counted) const {
    const bool sequences = unit == ir::BatchUnitKind::Sequences;
    to.failed = true;
    to.diags
        .report<diag::BatchUnit>(range, field, counted, to.plan.model.name,
                                 sequences ? "tokens or sequences" : "samples")
        .note<diag::ModelDeclaredHere>(to.plan.layout.rangeOf("model"), to.plan.model.name);
    return 1;
  }

  std::uint64_t fromTokens(const Number& tokens) const {
    const auto context = static_cast<std::int64_t>(to.plan.model.context);
    const std::optional<Rational> sequences = Rational::divide(tokens.value, Rational(context));
    if (sequences && sequences->isInteger() && sequences->asInteger())
      return static_cast<std::uint64_t>(*sequences->asInteger());
    to.failed = true; // the checker reported an error
    return 1;
  }

  std::uint64_t run() const {
    const Number n = layout.number(field);
    if (layout.failed())
      return 1;
    const Dimension tokens{.token = 1}, samples{.sample = 1};
    const bool counted = n.dimension.none();
    if (unit == ir::BatchUnitKind::Samples && !counted && !(n.dimension == samples))
      return wrongUnit(n.dimension == tokens ? "tokens" : "sequences");
    if (unit == ir::BatchUnitKind::Sequences) {
      if (n.dimension == samples)
        return wrongUnit("samples");
      if (n.dimension == tokens)
        return fromTokens(n);
    }
    return layout.whole(field);
  }
};

} // namespace

std::uint64_t sema::lowerBatch(Lowering& to, const ObjectFields& layout, llvm::StringRef field,
                               ir::BatchUnitKind unit) {
  const SourceRange range = layout.range(field);
  return to.bounded(Conversion{to, layout, field, unit, range}.run(), mostSequences, field, range);
}

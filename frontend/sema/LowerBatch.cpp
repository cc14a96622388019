//===- LowerBatch.cpp - A batch in tokens, sequences or samples ----------------------------------------===//
#include "frontend/sema/Lowering.h"
#include "llvm/ADT/StringExtras.h"

using namespace dpl;
using namespace dpl::sema;

namespace {

struct Conversion {
  Lowering& to;
  const Fields& layout;
  llvm::StringRef field;
  ir::BatchUnit unit;
  SourceRange range, valueRange;

  std::uint64_t wrongUnit(const char* counted) const {
    const bool sequences = unit == ir::BatchUnit::Sequences;
    to.failed = true;
    to.diags
        .report<diag::BatchUnit>(range, field, counted, to.plan.model.name,
                                 sequences ? "tokens or sequences" : "samples")
        .note<diag::ModelDeclaredHere>(to.plan.layout.rangeOf("model"), to.plan.model.name);
    return 1;
  }

  /// The binary unit that was probably meant: 4Mtok -> 4Mitok, where that is whole.
  std::string binarySpelling(const Number& tokens, std::uint64_t context) const {
    const llvm::StringRef written = to.sources.text(valueRange);
    const llvm::StringRef digits = written.take_while([](char c) { return llvm::isDigit(c) || c == '.' || c == '_'; });
    const llvm::StringRef suffix = written.drop_front(digits.size());
    if (!valueRange.valid() || !tokens.unit || digits.empty() || suffix != tokens.unit->text || suffix.size() < 2)
      return {};
    const std::string binary = suffix.take_front(1).upper() + "i" + suffix.drop_front(1).str();
    const Unit* other = findUnit(suffix.front() == 'k' ? "Ki" + suffix.drop_front(1).str() : binary);
    const std::optional<Rational> count = Rational::divide(tokens.value, tokens.unit->factor);
    if (!other || !count)
      return {};
    const std::optional<Rational> meant = Rational::multiply(*count, other->factor);
    const std::optional<Rational> sequences =
        meant ? Rational::divide(*meant, Rational(static_cast<std::int64_t>(context))) : std::nullopt;
    return sequences && sequences->isInteger() ? digits.str() + other->text : std::string();
  }

  std::uint64_t fromTokens(const Number& tokens) const {
    const std::uint64_t context = to.plan.model.context;
    const std::optional<Rational> sequences =
        Rational::divide(tokens.value, Rational(static_cast<std::int64_t>(context)));
    if (sequences && sequences->isInteger() && sequences->asInteger())
      return static_cast<std::uint64_t>(*sequences->asInteger());
    to.failed = true;
    const double exact = tokens.toDouble() / static_cast<double>(context);
    auto d = to.diags
                 .report<diag::NotWholeSequences>(range, tokens.str(), fmt::format("{:.8g}", exact),
                                                  fmt::format("{} tokens", context))
                 .label(fmt::format("{} / {} = {:.8g}", tokens.value.str(), context, exact));
    const std::string binary = binarySpelling(tokens, context);
    if (!binary.empty())
      std::move(d).help(fmt::format("write `{}`, whose prefix is a power of 1024", binary)).edit(valueRange, binary);
    return 1;
  }

  std::uint64_t run() const {
    const Number n = layout.number(field);
    if (layout.failed())
      return 1;
    const Dimension tokens{.token = 1}, samples{.sample = 1};
    const bool counted = n.dimension.none();
    if (unit == ir::BatchUnit::Samples && !counted && !(n.dimension == samples))
      return wrongUnit(n.dimension == tokens ? "tokens" : "sequences");
    if (unit == ir::BatchUnit::Sequences) {
      if (n.dimension == samples)
        return wrongUnit("samples");
      if (n.dimension == tokens)
        return fromTokens(n);
    }
    if (!n.value.isInteger()) {
      to.failed = true;
      to.diags.report<diag::NotWholeNumber>(range, fmt::format("`{}`", field), n.str());
      return 1;
    }
    return layout.whole(field);
  }
};

} // namespace

std::uint64_t sema::lowerBatch(Lowering& to, const Fields& layout, llvm::StringRef field, ir::BatchUnit unit) {
  const SourceRange range = layout.range(field), value = layout.value(field).range;
  return to.bounded(Conversion{to, layout, field, unit, range, value}.run(), mostSequences, field, range);
}

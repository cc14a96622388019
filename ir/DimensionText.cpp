//===- DimensionText.cpp - Dimensions as the printed plan has them ----------------------------===//
#include "ir/DimensionText.h"
#include "llvm/ADT/SmallVector.h"
using namespace dpl;

namespace {
/// Further than any product of an expression gets.
constexpr unsigned mostExponent = 100;

/// Multiplies into `d` what one side of a base unit has: "B·s^2"; false for another text.
bool readProduct(llvm::StringRef text, bool below, Dimension& d) {
  llvm::SmallVector<llvm::StringRef, 4> factors;
  text.split(factors, "·");
  for (const llvm::StringRef factor : factors) {
    const auto [base, raised] = factor.split('^');
    unsigned exponent = 1;
    if (factor.contains('^') && (raised.getAsInteger(10, exponent) || exponent > mostExponent))
      return false;
    const Unit* unit = base.contains('/') ? nullptr : findUnit(base);
    if (!unit)
      return false;
    for (unsigned i = 0; i < exponent; ++i)
      d = below ? d.over(unit->dimension) : d.times(unit->dimension);
  }
  return true;
}
} // namespace

std::string ir::dimensionText(const Dimension& d) {
  const llvm::StringRef named = typeName(d);
  return named.empty() ? baseUnit(d) : named.str();
}

std::optional<Dimension> ir::readDimension(llvm::StringRef text) {
  if (text.empty())
    return Dimension{};
  if (const std::optional<Dimension> named = dimensionNamed(text))
    return named;
  Dimension d;
  const auto [over, under] = text.split('/');
  const bool read = (over == "1" || readProduct(over, false, d)) &&
                    (under.empty() || readProduct(under, true, d));
  // Only one text is written for a dimension, so that a plan that is read prints as it was.
  return read && dimensionText(d) == text ? std::optional(d) : std::nullopt;
}

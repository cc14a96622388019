//===- DimensionText.cpp - Dimensions in the text of a plan -----------------------------------===//
#include "ir/DimensionText.h"
#include "llvm/ADT/SmallVector.h"
using namespace dpl;

namespace {
/// Limit of exponents. Products in expressions stay below it.
constexpr unsigned mostExponent = 100;

/// Multiplies one side of a base unit, such as "B·s^2", into `d`; false for other text.
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
  // Each dimension has only one text, so that a plan reads back to the same text.
  return read && dimensionText(d) == text ? std::optional(d) : std::nullopt;
}

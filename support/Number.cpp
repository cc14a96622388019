//===- Number.cpp - Arithmetic and formatting of numbers with a dimension ---------------------===//
#include "support/Number.h"
#include "support/UnitTable.h"
#include <cmath>
#include <fmt/format.h>
using namespace dpl;

namespace {
/// Numbers with more digits are rounded in texts for people.
constexpr std::size_t exactDigits = 12;

bool mayPrint(const Unit& unit, Unit::UnitFamily family) {
  if (unit.family == Unit::UnitFamily::Decimal)
    return family != Unit::UnitFamily::Binary || unit.factor == Rational(1);
  return unit.family == family;
}

/// The largest unit of the series with which the value has at least one digit before the point; for
/// smaller values the smallest unit. Null if the table has no unit for the dimension.
const Unit* fitting(double magnitude, const Dimension& d, Unit::UnitFamily family) {
  std::string denominator;
  for (const NamedDimension& named : namedDimensions())
    if (named.dimension == d)
      denominator = named.denominator;
  // Link rates are in bits, and their unit `Gbps` is in the table itself.
  if (family == Unit::UnitFamily::Bits)
    denominator.clear();
  const Dimension over = denominator.empty() ? d : d.times(findUnit(denominator)->dimension);
  const Unit* best = nullptr;
  for (const Unit& row : units()) {
    if (!(row.dimension == over) || !mayPrint(row, family))
      continue;
    const Unit* unit = denominator.empty() ? &row : findUnit(row.text + ("/" + denominator));
    // 0.9999995 rounds to one whole unit with four digits, so it counts as one.
    const bool holds = magnitude >= unit->factor.toDouble() * 0.99995;
    if (!best || (holds && unit->factor.toDouble() > best->factor.toDouble()))
      best = unit;
  }
  return best;
}

/// The family of the output: Bits if the number was written in bits, Binary if it was written in an
/// IEC unit or is whole in one.
Unit::UnitFamily familyOf(const Number& n) {
  if (n.unit && n.unit->family == Unit::UnitFamily::Binary)
    return Unit::UnitFamily::Binary;
  const bool bandwidth = typeName(n.dimension) == "Bandwidth";
  if (n.unit && bandwidth && !byteSpelling(*n.unit).empty())
    return Unit::UnitFamily::Bits;
  const llvm::StringRef type = typeName(n.dimension);
  const bool countable =
      (type == "Bytes" || type == "Tokens") && (!n.unit || n.unit->factor == Rational(1));
  if (countable && n.value.isInteger() && !n.value.isZero() && n.value.numerator() % 1024 == 0)
    return Unit::UnitFamily::Binary;
  return Unit::UnitFamily::Decimal;
}

/// A short number exactly, other numbers with five significant digits.
std::string decimal(const Rational& value) {
  std::string text = value.str();
  if (value.isInteger() || (text.find('/') == std::string::npos && text.size() <= exactDigits + 1))
    return text;
  return fmt::format("{:.5g}", value.toDouble());
}

std::string withScope(std::string text, Scope scope) {
  return scope == Scope::None ? text : text + " per " + name(scope).str();
}

/// A number without a unit for people: from a million on with an exponent divisible by three.
std::string humanPlain(double value) {
  const double magnitude = std::fabs(value);
  if (magnitude >= 1e6 && std::isfinite(value)) {
    int exponent = static_cast<int>(std::floor(std::log10(magnitude) + 1e-12) / 3) * 3;
    if (magnitude / std::pow(10.0, exponent) >= 999.95)
      exponent += 3;
    return fmt::format("{:.4g}e{}", value / std::pow(10.0, exponent), exponent);
  }
  if (value == std::floor(value))
    return fmt::format("{:.0f}", value);
  if (magnitude >= 10'000)
    return fmt::format("{:.0f}", value);
  return magnitude >= 1000 ? fmt::format("{:.1f}", value) : fmt::format("{:.4g}", value);
}

/// The unit of a result: a unit of the family of that operand which has the same dimension.
const Unit* unitOf(const Number& result, const Number& a, const Number& b) {
  Number hint = result;
  hint.unit = nullptr;
  for (const Number* operand : {&a, &b})
    if (operand->unit && operand->dimension == result.dimension)
      hint.unit = hint.unit ? hint.unit : operand->unit;
  if (result.dimension.none() || typeName(result.dimension) == "Rate")
    return nullptr;
  return fitting(std::fabs(result.toDouble()), result.dimension, familyOf(hint));
}

Arithmetic checked(std::optional<Rational> value, const Dimension& d, Scope scope, const Number& a,
                   const Number& b) {
  if (!value)
    return {std::nullopt, ArithmeticError::Overflow};
  Number result{*value, d, scope, nullptr};
  result.unit = unitOf(result, a, b);
  return {result, ArithmeticError::Overflow};
}

/// Why two operands cannot be added; none if they can.
std::optional<ArithmeticError> unlike(const Number& a, const Number& b) {
  if (!(a.dimension == b.dimension))
    return ArithmeticError::Dimensions;
  if (a.scope != b.scope)
    return ArithmeticError::Scopes;
  return std::nullopt;
}
} // namespace

std::string Number::str() const {
  if (dimension.none()) {
    const bool percent = unit && unit->dimension.none();
    const std::optional<Rational> scaled = percent ? Rational::divide(value, unit->factor) : value;
    return withScope(scaled ? decimal(*scaled) + (percent ? unit->text : "") : value.str(), scope);
  }
  const bool isRate = typeName(dimension) == "Rate";
  if (isRate && !unit && value.isZero())
    return scope == Scope::None ? "0 / 1h" : "(0 / 1h) per " + name(scope).str();
  if (isRate && !unit) {
    // No unit for 1/h exists, so the value is written as a division.
    if (const std::optional<Rational> period = Rational::divide(1, value)) {
      const std::string text =
          "1 / " + Number{*period, *dimensionNamed("Duration"), Scope::None, nullptr}.str();
      return scope == Scope::None ? text : "(" + text + ") per " + name(scope).str();
    }
  }
  const UnitRef in = unit && unit->dimension == dimension
                         ? unit
                         : fitting(std::fabs(toDouble()), dimension, familyOf(*this));
  if (!in)
    return withScope(decimal(value) + " " + baseUnit(dimension), scope);
  const std::optional<Rational> scaled = Rational::divide(value, in->factor);
  return withScope(
      (scaled ? decimal(*scaled) : fmt::format("{:.5g}", toDouble() / in->factor.toDouble())) +
          in->text,
      scope);
}

std::string dpl::human(double value, const Dimension& d, bool binary) {
  if (d.none())
    return humanPlain(value);
  if (typeName(d) == "Rate" && value != 0)
    return "1 / " + human(1 / value, *dimensionNamed("Duration"));
  const bool hasBinary = typeName(d) == "Bytes" || typeName(d) == "Tokens";
  const Unit* unit =
      fitting(std::fabs(value), d,
              binary && hasBinary ? Unit::UnitFamily::Binary : Unit::UnitFamily::Decimal);
  if (!unit)
    return fmt::format("{:.4g} {}", value, baseUnit(d));
  const double scaled = value / unit->factor.toDouble();
  return (std::fabs(scaled) < 999.95 && std::fabs(scaled) >= 1e-3 ? fmt::format("{:.4g}", scaled)
                                                                  : humanPlain(scaled)) +
         unit->text;
}

Arithmetic dpl::add(const Number& a, const Number& b) {
  if (const std::optional<ArithmeticError> error = unlike(a, b))
    return {std::nullopt, *error};
  return checked(Rational::add(a.value, b.value), a.dimension, a.scope, a, b);
}

Arithmetic dpl::subtract(const Number& a, const Number& b) {
  if (const std::optional<ArithmeticError> error = unlike(a, b))
    return {std::nullopt, *error};
  return checked(Rational::subtract(a.value, b.value), a.dimension, a.scope, a, b);
}

Arithmetic dpl::remainder(const Number& a, const Number& b) {
  if (const std::optional<ArithmeticError> error = unlike(a, b))
    return {std::nullopt, *error};
  if (b.value.isZero())
    return {std::nullopt, ArithmeticError::DivideByZero};
  return checked(Rational::remainder(a.value, b.value), a.dimension, a.scope, a, b);
}

Arithmetic dpl::multiply(const Number& a, const Number& b) {
  Scope scope = a.scope == Scope::None ? b.scope : a.scope;
  if (a.scope != Scope::None && b.scope != Scope::None) {
    // Ports per gpu × Gbps per port is Gbps per gpu: the result has the scope of the count.
    if (a.dimension.none() == b.dimension.none() || a.scope == b.scope)
      return {std::nullopt, ArithmeticError::Scopes};
    scope = a.dimension.none() ? a.scope : b.scope;
  }
  return checked(Rational::multiply(a.value, b.value), a.dimension.times(b.dimension), scope, a, b);
}

Arithmetic dpl::divide(const Number& a, const Number& b) {
  if (b.scope != Scope::None && a.scope != b.scope)
    return {std::nullopt, ArithmeticError::Scopes};
  if (b.value.isZero())
    return {std::nullopt, ArithmeticError::DivideByZero};
  const Scope scope = a.scope == b.scope ? Scope::None : a.scope;
  return checked(Rational::divide(a.value, b.value), a.dimension.over(b.dimension), scope, a, b);
}

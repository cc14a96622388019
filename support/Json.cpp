//===- Json.cpp - JSON with keys in the order they were written -------------------------------===//
#include "support/Json.h"
#include "support/Utf8.h"
#include <cmath>
using namespace dpl;

Json dpl::quantity(double value, const Dimension& dimension) {
  // Doubles are exact whole numbers up to 2^53.
  const bool whole =
      std::isfinite(value) && value == std::floor(value) && std::fabs(value) < 0x1p53;
  Json j;
  if (whole)
    j["value"] = static_cast<std::int64_t>(value);
  else
    j["value"] = value;
  j["unit"] = baseUnit(dimension);
  return j;
}

Json dpl::quantity(const Number& number) {
  Json j;
  if (const std::optional<std::int64_t> whole = number.value.asInteger())
    j["value"] = *whole;
  else
    j["value"] = number.toDouble();
  j["unit"] = baseUnit(number.dimension);
  if (number.scope != Scope::None)
    j["per"] = name(number.scope).str();
  j["written"] = number.str();
  return j;
}

std::string dpl::textOf(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

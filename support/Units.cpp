//===- Units.cpp - The unit table: search, names of dimensions, and printing ------------------===//
#include "support/Number.h"
#include "support/UnitTable.h"
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <mutex>
using namespace dpl;

namespace {
/// Exponents of a plain number, for rows of Units.def without a dimension.
constexpr Dimension dimensionPlain{};
#define DIMENSION(NAME, WORDS, DENOMINATOR, ...) constexpr Dimension dimension##NAME{__VA_ARGS__};
#include "support/Units.def"

constexpr Rational::Int kilo = 1000, mega = kilo * 1000, giga = mega * 1000, tera = giga * 1000,
                        peta = tera * 1000, exa = peta * 1000, zetta = exa * 1000,
                        yotta = zetta * 1000;
constexpr Rational::Int kibi = 1024, mebi = kibi * 1024, gibi = mebi * 1024, tebi = gibi * 1024,
                        pebi = tebi * 1024;

/// A factor of a unit such as `B·s/FLOP^2`, with its exponent.
std::string power(const char* unit, int exponent) {
  return exponent == 1 ? unit : fmt::format("{}^{}", unit, exponent);
}

struct BaseUnit {
  const char* text;
  std::int8_t Dimension::*exponent;
};
constexpr BaseUnit baseUnits[] = {
    {"B", &Dimension::byte},       {"FLOP", &Dimension::flop},     {"tok", &Dimension::token},
    {"seq", &Dimension::sequence}, {"sample", &Dimension::sample}, {"step", &Dimension::step},
    {"usd", &Dimension::money},    {"J", &Dimension::joule},       {"s", &Dimension::second},
};
} // namespace

llvm::ArrayRef<NamedDimension> dpl::namedDimensions() {
  static constexpr NamedDimension rows[] = {
#define DIMENSION(NAME, WORDS, DENOMINATOR, ...) {#NAME, WORDS, DENOMINATOR, dimension##NAME},
#include "support/Units.def"
  };
  return rows;
}

llvm::ArrayRef<Unit> dpl::units() {
  static const Unit rows[] = {
#define UNIT(TEXT, NUMERATOR, DENOMINATOR, DIMENSION, FAMILY)                                      \
  {TEXT, *Rational::of(NUMERATOR, DENOMINATOR), dimension##DIMENSION, Unit::UnitFamily::FAMILY,    \
   false},
#include "support/Units.def"
  };
  return rows;
}

Dimension Dimension::times(const Dimension& o) const {
  Dimension d = *this;
  for (const BaseUnit& base : baseUnits)
    d.*base.exponent = static_cast<std::int8_t>(d.*base.exponent + o.*base.exponent);
  return d;
}

Dimension Dimension::over(const Dimension& o) const {
  Dimension d = *this;
  for (const BaseUnit& base : baseUnits)
    d.*base.exponent = static_cast<std::int8_t>(d.*base.exponent - o.*base.exponent);
  return d;
}

std::optional<Dimension> dpl::dimensionNamed(llvm::StringRef typeName) {
  // Most names differ in the first character.
  for (const NamedDimension& named : namedDimensions())
    if (typeName.startswith({named.typeName, 1}) && typeName == named.typeName)
      return named.dimension;
  return std::nullopt;
}

llvm::StringRef dpl::typeName(const Dimension& d) {
  for (const NamedDimension& named : namedDimensions())
    if (d == named.dimension)
      return named.typeName;
  return "";
}

std::string dpl::baseUnit(const Dimension& d) {
  std::string over, under;
  for (const BaseUnit& base : baseUnits) {
    const int exponent = d.*base.exponent;
    if (exponent > 0)
      over += (over.empty() ? "" : "·") + power(base.text, exponent);
    if (exponent < 0)
      under += (under.empty() ? "" : "·") + power(base.text, -exponent);
  }
  if (under.empty())
    return over;
  return (over.empty() ? "1" : over) + "/" + under;
}

std::string dpl::describe(const Dimension& d) {
  if (d.none())
    return "a plain number";
  for (const NamedDimension& named : namedDimensions())
    if (d == named.dimension)
      return named.words;
  return baseUnit(d);
}

/// Quotients are created on first use and never destroyed; a deque does not move its elements.
static std::deque<Unit>& quotients() {
  static std::deque<Unit> made;
  return made;
}

/// The lock for quotients, because several threads may compile.
static std::mutex& quotientsHeld() {
  static std::mutex held;
  return held;
}

UnitRef::UnitRef(const Unit* unit) {
  if (!unit)
    return;
  const llvm::ArrayRef<Unit> table = units();
  std::size_t at = table.size();
  if (std::less_equal<>()(table.begin(), unit) && std::less<>()(unit, table.end()))
    at = static_cast<std::size_t>(unit - table.begin());
  else {
    const std::lock_guard<std::mutex> alone(quotientsHeld());
    while (&quotients()[at - table.size()] != unit)
      ++at;
  }
  place = static_cast<std::uint16_t>(at + 1);
}

const Unit* UnitRef::get() const {
  const llvm::ArrayRef<Unit> table = units();
  if (place == 0)
    return nullptr;
  if (place <= table.size())
    return &table[place - 1];
  const std::lock_guard<std::mutex> alone(quotientsHeld());
  return &quotients()[place - table.size() - 1];
}

const Unit* dpl::findUnit(llvm::StringRef text) {
  for (const Unit& unit : units())
    if (text == unit.text)
      return &unit;
  const std::size_t slash = text.find('/');
  if (slash == llvm::StringRef::npos || text.find('/', slash + 1) != llvm::StringRef::npos)
    return nullptr;
  const Unit* over = findUnit(text.take_front(slash));
  const Unit* under = findUnit(text.drop_front(slash + 1));
  if (!over || !under)
    return nullptr;
  const std::lock_guard<std::mutex> alone(quotientsHeld());
  for (const Unit& made : quotients())
    if (text == made.text)
      return &made;
  const std::optional<Rational> factor = Rational::divide(over->factor, under->factor);
  assert(factor && "factors of the table are small");
  static std::deque<std::string> names;
  // The family of a rate is that of its numerator, as `Gb/s` is `Gbps`.
  return &quotients().emplace_back(Unit{names.emplace_back(text).c_str(), *factor,
                                        over->dimension.over(under->dimension), over->family,
                                        true});
}

llvm::StringRef dpl::name(Scope s) {
  switch (s) {
  case Scope::None:
    return "";
  case Scope::Gpu:
    return "gpu";
  case Scope::Nic:
    return "nic";
  case Scope::Node:
    return "node";
  case Scope::Domain:
    return "domain";
  case Scope::Leaf:
    return "leaf";
  case Scope::Pod:
    return "pod";
  case Scope::Site:
    return "site";
  }
  return "";
}

std::optional<Scope> dpl::scopeNamed(llvm::StringRef s) {
  for (Scope scope :
       {Scope::Gpu, Scope::Nic, Scope::Node, Scope::Domain, Scope::Leaf, Scope::Pod, Scope::Site})
    if (s == name(scope))
      return scope;
  return std::nullopt;
}

std::string dpl::unitTable() {
  std::string table =
      "A unit touches its number: 80GiB, 400Gbps, 3.35TB/s, 2.10usd/h. `GB` is 10^9 and `GiB` is\n"
      "2^30; `b` is a bit and `B` a byte. Any two units make a quotient with one `/`.\n";
  const auto rows = [&](const char* title, const Dimension& d) {
    std::string line;
    for (const Unit& unit : units()) {
      if (!(unit.dimension == d))
        continue;
      const std::string base = baseUnit(d);
      std::string factor = unit.factor.str();
      if (unit.family == Unit::UnitFamily::Binary)
        factor =
            fmt::format("2^{}", static_cast<int>(__builtin_ctzll(
                                    static_cast<unsigned long long>(unit.factor.numerator()))));
      else if (unit.factor.isInteger() && factor.size() > 4 &&
               factor.find_first_not_of('0', 1) == std::string::npos)
        factor = fmt::format("{}10^{}", factor[0] == '1' ? "" : std::string(1, factor[0]) + "·",
                             factor.size() - 1);
      line += fmt::format("  {:<8} {}{}\n", unit.text, factor, base.empty() ? "" : " " + base);
    }
    if (!line.empty())
      table += fmt::format("\n{}\n{}", title, line);
  };
  for (const NamedDimension& named : namedDimensions())
    rows(fmt::format("{}: {}", named.typeName, named.words).c_str(), named.dimension);
  rows("Real: a plain number", Dimension{});
  table += "\nUnits written as quotients\n";
  for (const NamedDimension& named : namedDimensions()) {
    const llvm::StringRef under = named.denominator;
    if (under.empty())
      continue;
    std::string examples;
    for (const Unit& unit : units())
      if (unit.dimension == named.dimension.times(findUnit(under)->dimension) &&
          unit.family != Unit::UnitFamily::Input)
        examples += fmt::format("{}{}/{}", examples.empty() ? "" : " ", unit.text, under.str());
    table += fmt::format("  {:<13} {}\n", named.typeName, examples);
  }
  table += "  Rate          written as a division: 1 / 50_000h\n"
           "\nAn amount that belongs to one part of the machine says so: 400Gbps per gpu, 1200W "
           "per node\n"
           "(gpu, nic, node, domain, leaf, pod, site).\n";
  return table;
}

#pragma once
//===- Number.h - Exact numbers with a dimension and a scope ----------------------------------===//
#include "support/Result.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dpl {

/// An exact fraction in lowest terms with a positive denominator. 128 bits suffice for products of
/// two realistic quantities. Operations return none on overflow, and the caller reports DPL0105.
class Rational {
public:
  // Both compilers have only this 128-bit integer, which is not ISO; __extension__ needs a typedef.
  __extension__ typedef __int128 Int;                // NOLINT(modernize-use-using)
  constexpr Rational(std::int64_t n = 0) : num(n) {} // NOLINT: whole numbers convert
  static std::optional<Rational> of(Int num, Int den);
  /// Parses digits such as `12`, `1_000`, `3.35`, `2.5e9`; none on overflow.
  static std::optional<Rational> parse(llvm::StringRef digits);

  Int numerator() const { return num; }
  Int denominator() const { return den; }
  bool isInteger() const { return den == 1; }
  bool isZero() const { return num == 0; }
  bool isNegative() const { return num < 0; }
  /// The value as a 64-bit whole number, if it is one.
  std::optional<std::int64_t> asInteger() const;
  double toDouble() const { return static_cast<double>(num) / static_cast<double>(den); }
  /// The shortest exact decimal if the fraction has at most 30 digits after the point, otherwise
  /// `num/den`.
  std::string str() const;

  static std::optional<Rational> add(Rational a, Rational b);
  static std::optional<Rational> subtract(Rational a, Rational b);
  static std::optional<Rational> multiply(Rational a, Rational b);
  static std::optional<Rational> divide(Rational a, Rational b);    ///< none for b = 0
  static std::optional<Rational> remainder(Rational a, Rational b); ///< a - b*floor(a/b)
  /// -1 if a < b, 0 if they are equal, 1 if a > b.
  static int compare(Rational a, Rational b);
  bool operator==(const Rational& o) const { return num == o.num && den == o.den; }

private:
  Int num = 0, den = 1;
};

/// Exponents of the base dimensions. The base units are byte, second, FLOP, token, sequence,
/// sample, step, joule and dollar. A plain count has only exponents of 0.
struct Dimension {
  std::int8_t byte = 0, second = 0, flop = 0, token = 0, sequence = 0, sample = 0, step = 0,
              joule = 0, money = 0;
  bool operator==(const Dimension&) const = default;
  bool none() const { return *this == Dimension{}; }
  Dimension times(const Dimension& o) const;
  Dimension over(const Dimension& o) const;
};

/// The dimension of a type name of DPL: `Bytes`, `Duration`, `Bandwidth`, `Tokens`, … None if the
/// name is not a dimension.
std::optional<Dimension> dimensionNamed(llvm::StringRef typeName);
/// The type name of a dimension: "Bytes", "Duration"; "" for a plain number and for dimensions
/// without a name.
llvm::StringRef typeName(const Dimension& d);
/// The text for a dimension in messages: "bytes", "time", "bandwidth (bytes/s)", "a plain number".
std::string describe(const Dimension& d);

/// The kind of thing to which a quantity refers, as in `400Gbps per gpu`.
enum class Scope : std::uint8_t { None, Gpu, Nic, Node, Domain, Leaf, Pod, Site };
llvm::StringRef name(Scope s); ///< "" for None
std::optional<Scope> scopeNamed(llvm::StringRef s);

/// A unit of the table in Units.def. `text` is its spelling: "GiB", "Gbps", "TB/s".
struct Unit {
  const char* text = "";
  Rational factor = 1; ///< number of base units
  Dimension dimension;
  /// The kind of output that may use the unit. Decimal and Binary (IEC) are series of growing
  /// units, Bits is the series of link rates, and Input is never written.
  enum class UnitFamily : std::uint8_t { Decimal, Binary, Bits, Input };
  UnitFamily family = UnitFamily::Input;
  bool rate = false; ///< whether it is a quotient with '/'
};

/// A unit or none as a small index, because files contain many numbers.
class UnitRef {
public:
  UnitRef(const Unit* unit = nullptr); // NOLINT: a unit converts
  const Unit* get() const;
  const Unit* operator->() const { return get(); }
  const Unit& operator*() const { return *get(); }
  explicit operator bool() const { return place != 0; }
  bool operator==(const UnitRef&) const = default;

private:
  std::uint16_t place = 0; ///< 0: none; otherwise from 1 the index in the table, and after the
                           ///< table among the quotients
};

/// An exact value in base units. `unit` is the user's unit, for printing.
struct Number {
  Rational value;
  Dimension dimension;
  Scope scope = Scope::None;
  UnitRef unit = nullptr;

  /// The value as text in the user's unit, or else in the unit that leaves 1 to 3 digits before the
  /// point, with its scope: "80GiB", "400Gbps per gpu", "7.3GB".
  std::string str() const;
  double toDouble() const { return value.toDouble(); }
};

/// The unit with this spelling; null if there is none. Quotients (`usd/kWh`) are added to a table
/// of the process.
const Unit* findUnit(llvm::StringRef text);
/// At most three spellings similar to an unknown or refused unit ("gb" -> "GB", "GBps" -> "GB/s"),
/// best first. A single result is certain. `wanted` prefers units of that dimension ("G" -> "GB"
/// for bytes, "Gtok" for tokens).
std::vector<std::string> suggestUnits(llvm::StringRef text,
                                      std::optional<Dimension> wanted = std::nullopt);
/// The only certain spelling for an unknown unit; empty if there is none.
std::string suggestUnit(llvm::StringRef text, std::optional<Dimension> wanted = std::nullopt);
/// The spelling of a unit of bits for bytes: "GB" for "Gb", "GB/s" for "Gb/s"; empty for other
/// units.
std::string byteSpelling(const Unit& unit);
/// The unit table of `dplc explain units`.
std::string unitTable();

/// A value in base units as text for people: four significant digits, with the unit that leaves one
/// to three digits before the point. `binary` uses IEC units for bytes and tokens (device memory).
std::string human(double value, const Dimension& d, bool binary = false);
/// The base unit of a dimension in JSON: "B", "s", "B/s", "FLOP/s"; "" for a plain number.
std::string baseUnit(const Dimension& d);

/// Why arithmetic failed.
enum class ArithmeticError : std::uint8_t { Overflow, DivideByZero, Dimensions, Scopes };
/// Arithmetic on numbers. Sums need equal dimensions and scopes. A product of two scoped numbers is
/// allowed if one of them is a count, and has the count's scope (ports per gpu × Gbps per port).
struct Arithmetic {
  std::optional<Number> value;
  ArithmeticError error = ArithmeticError::Overflow;
};
Arithmetic add(const Number& a, const Number& b);
Arithmetic subtract(const Number& a, const Number& b);
Arithmetic multiply(const Number& a, const Number& b);
Arithmetic divide(const Number& a, const Number& b);
Arithmetic remainder(const Number& a, const Number& b);

} // namespace dpl

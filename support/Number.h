#pragma once
//===- Number.h - Exact numbers with a dimension and a scope ----------------------------------===//
#include "support/Result.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dpl {

/// An exact fraction in lowest terms; the denominator is positive. 128 bits hold every product of
/// two realistic quantities; an operation that does not fit returns nothing and the caller reports
/// DPL0105.
class Rational {
public:
  // Not ISO, and the only 128-bit integer of both compilers; __extension__ needs a typedef.
  __extension__ typedef __int128 Int;                // NOLINT(modernize-use-using)
  constexpr Rational(std::int64_t n = 0) : num(n) {} // NOLINT: whole numbers convert
  static std::optional<Rational> of(Int num, Int den);
  /// Reads `12`, `1_000`, `3.35`, `2.5e9`; nothing when it does not fit.
  static std::optional<Rational> parse(llvm::StringRef digits);

  Int numerator() const { return num; }
  Int denominator() const { return den; }
  bool isInteger() const { return den == 1; }
  bool isZero() const { return num == 0; }
  bool isNegative() const { return num < 0; }
  /// The value as a 64-bit whole number, if it is one.
  std::optional<std::int64_t> asInteger() const;
  double toDouble() const { return static_cast<double>(num) / static_cast<double>(den); }
  /// Shortest exact decimal when the fraction ends within 30 digits, else `num/den`.
  std::string str() const;

  static std::optional<Rational> add(Rational a, Rational b);
  static std::optional<Rational> subtract(Rational a, Rational b);
  static std::optional<Rational> multiply(Rational a, Rational b);
  static std::optional<Rational> divide(Rational a, Rational b);    ///< nothing for b = 0
  static std::optional<Rational> remainder(Rational a, Rational b); ///< a - b*floor(a/b)
  /// -1, 0 or 1.
  static int compare(Rational a, Rational b);
  bool operator==(const Rational& o) const { return num == o.num && den == o.den; }

private:
  Int num = 0, den = 1;
};

/// Exponents of the base dimensions. Base units: byte, second, FLOP, token, sequence, sample, step,
/// joule, dollar. A plain count has none.
struct Dimension {
  std::int8_t byte = 0, second = 0, flop = 0, token = 0, sequence = 0, sample = 0, step = 0,
              joule = 0, money = 0;
  bool operator==(const Dimension&) const = default;
  bool none() const { return *this == Dimension{}; }
  Dimension times(const Dimension& o) const;
  Dimension over(const Dimension& o) const;
};

/// The type names of the language for dimensions: `Bytes`, `Duration`, `Bandwidth`, `Tokens`, …
/// Nothing when the name is no dimension.
std::optional<Dimension> dimensionNamed(llvm::StringRef typeName);
/// The reverse: "Bytes", "Duration"; "" for a plain number and for dimensions without a name.
llvm::StringRef typeName(const Dimension& d);
/// "bytes", "time", "bandwidth (bytes/s)", "a plain number": what messages call a dimension.
std::string describe(const Dimension& d);

/// What one unit of a quantity belongs to: `400Gbps per gpu`.
enum class Scope : std::uint8_t { None, Gpu, Nic, Node, Domain, Leaf, Pod, Site };
llvm::StringRef name(Scope s); ///< "" for None
std::optional<Scope> scopeNamed(llvm::StringRef s);

/// One unit of the table in Units.def. `text` is its spelling: "GiB", "Gbps", "TB/s".
struct Unit {
  const char* text = "";
  Rational factor = 1; ///< of the base unit
  Dimension dimension;
  /// Where output may use it: Decimal and Binary (IEC) are ladders of growing size, Bits is the
  /// ladder of link rates, Input is read and never chosen.
  enum class UnitFamily : std::uint8_t { Decimal, Binary, Bits, Input };
  UnitFamily family = UnitFamily::Input;
  bool rate = false; ///< a quotient written with '/'
};

/// One of the units, or none, in the room of a small number: files hold many.
class UnitRef {
public:
  UnitRef(const Unit* unit = nullptr); // NOLINT: a unit converts
  const Unit* get() const;
  const Unit* operator->() const { return get(); }
  const Unit& operator*() const { return *get(); }
  explicit operator bool() const { return place != 0; }
  bool operator==(const UnitRef&) const = default;

private:
  std::uint16_t place = 0; ///< in the table, then among the quotients; from 1
};

/// An exact value in base units. `unit` is how the user wrote it, for printing.
struct Number {
  Rational value;
  Dimension dimension;
  Scope scope = Scope::None;
  UnitRef unit = nullptr;

  /// In the unit it was written in, or the one with 1 to 3 leading digits; with its scope:
  /// "80GiB", "400Gbps per gpu", "7.3GB".
  std::string str() const;
  double toDouble() const { return value.toDouble(); }
};

/// Looks up a unit suffix, quotients included (`usd/kWh`): result is interned for the process.
const Unit* findUnit(llvm::StringRef text);
/// Near or commonly meant spellings of an unknown or refused unit ("gb" -> "GB", "GBps" -> "GB/s"),
/// best first, at most three. Exactly one means that an edit is sure. With `wanted`, units of that
/// dimension when there is one ("G" -> "GB" for bytes, "Gtok" for tokens).
std::vector<std::string> suggestUnits(llvm::StringRef text,
                                      std::optional<Dimension> wanted = std::nullopt);
/// The one spelling that we are sure of; else empty.
std::string suggestUnit(llvm::StringRef text, std::optional<Dimension> wanted = std::nullopt);
/// "GB" for "Gb", "GB/s" for "Gb/s"; empty when the unit does not count bits.
std::string byteSpelling(const Unit& unit);
/// The unit table as `dplc explain units` prints it.
std::string unitTable();

/// A double of a base unit for people: four significant digits and the unit that leaves one to
/// three digits before the point. Bytes and tokens use IEC units when `binary` (device memory).
std::string human(double value, const Dimension& d, bool binary = false);
/// Base unit of a dimension as JSON output names it: "B", "s", "B/s", "FLOP/s"; "" for a plain
/// number.
std::string baseUnit(const Dimension& d);

/// Why arithmetic failed.
enum class ArithmeticError : std::uint8_t { Overflow, DivideByZero, Dimensions, Scopes };
/// Operators on numbers. Sums need one dimension and scope; a product of two scoped numbers is
/// allowed where one of them is a count and takes the count's scope (ports per gpu × Gbps per
/// port).
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

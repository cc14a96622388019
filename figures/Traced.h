#pragma once
//===- Traced.h - A number that records its formula -------------------------------------------===//
#include "figures/FormulaTrees.h"
#include <optional>

namespace dpl::figures {

/// The result of a row of Results.def: a value with its formula, a leaf, or no figure if the plan
/// has none. Arithmetic on it builds a tree, so value and formula are written once.
class Traced {
public:
  Traced() = default;                                     ///< the plan has no such figure
  Traced(double number) : number(number), exists(true) {} // NOLINT: constants convert
  Traced(FormulaTrees& in, const Figure& figure)
      : in(&in), root(in.read(figure)), number(figure.value), exists(true) {}

  bool has() const { return exists; }
  double value() const { return number; }
  std::uint32_t formula() const { return root; }

  /// Rounds the value to `whole` units as the plan does; the formula gives the value before
  /// rounding.
  Traced rounding(double whole) const;
  /// Replaces the definition of the row by a text about this plan.
  Traced because(std::string text) const;
  /// Adds a figure as input of a leaf, which has no formula.
  Traced reading(const Traced& figure) const;
  /// Marks the value as bytes that are sent.
  Traced overLinks() const;
  /// A value without a formula, with its origin.
  static Traced leaf(double value, Provenance provenance, std::string source = "");

  static Traced made(ir::Operation operation, const Traced& left, const Traced& right);

private:
  friend class Figures;
  FormulaTrees* in = nullptr; ///< null for constants and leaves
  std::uint32_t root = 0;
  double number = 0;
  bool exists = false, links = false;
  Provenance provenance = Provenance::Derived;
  std::string source;
  std::optional<std::string> note;
  std::vector<std::uint32_t> read; ///< inputs added by `reading`
};

inline Traced operator+(const Traced& a, const Traced& b) {
  return Traced::made(ir::Operation::Add, a, b);
}
inline Traced operator-(const Traced& a, const Traced& b) {
  return Traced::made(ir::Operation::Subtract, a, b);
}
inline Traced operator*(const Traced& a, const Traced& b) {
  return Traced::made(ir::Operation::Multiply, a, b);
}
inline Traced operator/(const Traced& a, const Traced& b) {
  return Traced::made(ir::Operation::Divide, a, b);
}
inline Traced min(const Traced& a, const Traced& b) {
  return Traced::made(ir::Operation::Minimum, a, b);
}
inline Traced max(const Traced& a, const Traced& b) {
  return Traced::made(ir::Operation::Maximum, a, b);
}

/// A sum in progress: terms that do not exist are skipped, and a sum without terms does not exist.
struct TracedSum {
  Traced all;
  void plus(const Traced& more) { all = !all.has() ? more : more.has() ? all + more : all; }
  /// Adds `count` times a figure; a count of 1 is not printed.
  void plus(double count, const Traced& more) {
    plus(count == 1 || !more.has() ? more : count * more);
  }
};

} // namespace dpl::figures

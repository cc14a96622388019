#pragma once
//===- Traced.h - A number that remembers how it was made -------------------------------------===//
#include "figures/FormulaTrees.h"
#include <optional>

namespace dpl::figures {

/// What a row of Results.def gives: a value with its formula, or a leaf, or nothing, when the plan
/// has no such figure. Arithmetic on it records a tree, so value and formula are written once.
class Traced {
public:
  Traced() = default;                                     ///< the plan has no such figure
  Traced(double number) : number(number), exists(true) {} // NOLINT: constants convert
  Traced(FormulaTrees& in, const Figure& figure)
      : in(&in), root(in.read(figure)), number(figure.value), exists(true) {}

  bool has() const { return exists; }
  double value() const { return number; }
  std::uint32_t formula() const { return root; }

  /// What the plan holds in whole units; the formula gives it but for their rounding.
  Traced rounding(double whole) const;
  /// A definition that says more of this plan than the row does.
  Traced because(std::string text) const;
  /// What a leaf follows from by no formula.
  Traced reading(const Traced& figure) const;
  /// Bytes that are sent.
  Traced overLinks() const;
  /// A leaf: who says so.
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
  std::vector<std::uint32_t> read; ///< of `reading`
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

/// A sum in the making: what does not exist is left out, and a sum of nothing does not exist.
struct TracedSum {
  Traced all;
  void plus(const Traced& more) { all = !all.has() ? more : more.has() ? all + more : all; }
  /// `count` times, which is not printed where it is one.
  void plus(double count, const Traced& more) {
    plus(count == 1 || !more.has() ? more : count * more);
  }
};

} // namespace dpl::figures

#pragma once
//===- Variation.h - Figures if one of their inputs changes -----------------------------------===//
#include "figures/Figures.h"
#include <map>

namespace dpl::figures {

/// Evaluates formulas with one figure changed. Figures without a formula keep their value.
/// Remainders of a simulated whole also keep it, because the whole would change with them.
class Variation {
public:
  explicit Variation(const Figures& figures) : figures(figures) {}

  /// The value of `of` if `changed` is multiplied by `factor`; its own value if no formula connects
  /// them.
  double evaluate(const Figure& of, const Figure& changed, double factor);
  /// The change of `of` in percent if `changed` grows by one percent.
  double elasticity(const Figure& of, const Figure& changed);
  /// Whether the inputs of a figure can be varied.
  static bool closed(const Figure& figure);

private:
  using Values = std::map<const Figure*, double>;
  double evaluate(const Figure& of, const Figure& changed, double factor, Values& values);
  const Figures& figures;
};

} // namespace dpl::figures

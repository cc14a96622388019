#pragma once
//===- Variation.h - Figures when one of those that they are made of is another ---------------===//
#include "figures/Figures.h"
#include <map>

namespace dpl::figures {

/// Evaluates the formulas again with one figure changed. One without a formula, or that is what is
/// left of a simulated whole, keeps its value: what lies below it cannot be varied, or the whole
/// would move with it.
class Variation {
public:
  explicit Variation(const Figures& figures) : figures(figures) {}

  /// Of `of` when `changed` is so many times what it is; its own value when no formula leads from
  /// one to the other.
  double evaluate(const Figure& of, const Figure& changed, double factor);
  /// Change of `of` in percent of itself when `changed` grows by one percent.
  double elasticity(const Figure& of, const Figure& changed);
  /// Whether what lies below a figure can be varied.
  static bool closed(const Figure& figure);

private:
  using Values = std::map<const Figure*, double>;
  double evaluate(const Figure& of, const Figure& changed, double factor, Values& values);
  const Figures& figures;
};

} // namespace dpl::figures

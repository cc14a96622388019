//===- Variation.cpp - Figures if one of their inputs changes ---------------------------------===//
#include "figures/Variation.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::figures;

namespace {
bool isRemainder(const Figure& figure) {
  return figure.inputs.size() > 1 && !figure.dimension.none() &&
         std::any_of(figure.inputs.begin(), figure.inputs.end(), [&](const Figure* input) {
           return input->provenance == Provenance::Simulated &&
                  input->dimension == figure.dimension;
         });
}
} // namespace

bool Variation::closed(const Figure& figure) { return figure.formula != 0 && !isRemainder(figure); }

double Variation::elasticity(const Figure& of, const Figure& changed) {
  constexpr double step = 0.01;
  const double up = evaluate(of, changed, 1 + step), down = evaluate(of, changed, 1 - step);
  return of.value == 0 ? 0 : (up - down) / (2 * step * of.value);
}

double Variation::evaluate(const Figure& of, const Figure& changed, double factor) {
  Values values;
  return evaluate(of, changed, factor, values);
}

double Variation::evaluate(const Figure& of, const Figure& changed, double factor, Values& values) {
  if (&of == &changed)
    return of.value * factor;
  if (!closed(of))
    return of.value;
  const auto known = values.find(&of);
  if (known != values.end())
    return known->second;
  const double value = figures.expressions().evaluate(
      of.formula, [&](const Figure& input) { return evaluate(input, changed, factor, values); });
  return values[&of] = value;
}

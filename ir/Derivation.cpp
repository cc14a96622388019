//===- Derivation.cpp - Results: named quantities with where they come from -------------------===//
#include "ir/Derivation.h"

using namespace dpl::ir;

const Quantity* Results::find(const std::string& path) const {
  for (const Quantity& q : quantities)
    if (q.path == path)
      return &q;
  return nullptr;
}

double Results::add(Quantity q) {
  const double value = q.value;
  for (Quantity& old : quantities)
    if (old.path == q.path) {
      old = std::move(q);
      return value;
    }
  quantities.push_back(std::move(q));
  return value;
}

double Results::derived(std::string path, double value, std::string dimension, std::string formula,
                        std::initializer_list<std::string> inputs, std::string note) {
  Quantity q;
  q.path = std::move(path);
  q.value = value;
  q.dimension = std::move(dimension);
  q.formula = std::move(formula);
  q.inputs = inputs;
  q.note = std::move(note);
  return add(std::move(q));
}

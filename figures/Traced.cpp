//===- Traced.cpp - A number that records its formula -----------------------------------------===//
#include "figures/Traced.h"

using namespace dpl;
using namespace dpl::figures;

Traced Traced::made(ir::Operation operation, const Traced& left, const Traced& right) {
  if (!left.has() || !right.has())
    return {};
  Traced out(ir::apply(operation, left.number, right.number));
  out.in = left.in ? left.in : right.in;
  if (!out.in)
    return out; // constants only
  const auto rootOf = [&](const Traced& t) {
    return t.root != 0 ? t.root : out.in->constant(t.number);
  };
  const std::uint32_t first = rootOf(left), second = rootOf(right);
  out.root = out.in->operation(operation, first, second);
  return out;
}

Traced Traced::rounding(double whole) const {
  Traced out = *this;
  out.number = whole;
  out.exists = true;
  return out;
}

Traced Traced::because(std::string text) const {
  Traced out = *this;
  out.note = std::move(text);
  return out;
}

Traced Traced::reading(const Traced& figure) const {
  Traced out = *this;
  if (figure.root != 0)
    out.read.push_back(figure.root);
  return out;
}

Traced Traced::overLinks() const {
  Traced out = *this;
  out.links = true;
  return out;
}

Traced Traced::leaf(double value, Provenance provenance, std::string source) {
  Traced out(value);
  out.provenance = provenance;
  out.source = std::move(source);
  return out;
}

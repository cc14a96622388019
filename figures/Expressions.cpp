//===- Expressions.cpp - The formulas of figures as trees -------------------------------------===//
#include "figures/Expressions.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::Operation;

std::uint32_t Expressions::constant(double number) {
  nodes.push_back({Operation::Constant, 0, 0, number, nullptr});
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

std::uint32_t Expressions::read(const Figure& figure) {
  nodes.push_back({Operation::Result, 0, 0, 0, &figure});
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

std::uint32_t Expressions::operation(Operation operation, std::uint32_t left, std::uint32_t right) {
  nodes.push_back({operation, left, right, 0, nullptr});
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

std::vector<const Figure*> Expressions::inputsOf(std::uint32_t root) const {
  std::vector<const Figure*> inputs;
  std::vector<std::uint32_t> open;
  if (root != 0)
    open.push_back(root);
  while (!open.empty()) {
    const Node& node = nodes[open.back()];
    open.pop_back();
    if (node.operation == Operation::Result) {
      if (!llvm::is_contained(inputs, node.figure))
        inputs.push_back(node.figure);
    } else if (node.operation != Operation::Constant) {
      open.push_back(node.right);
      open.push_back(node.left);
    }
  }
  return inputs;
}

double Expressions::evaluate(std::uint32_t root,
                             llvm::function_ref<double(const Figure&)> valueOf) const {
  const Node& node = nodes[root];
  switch (node.operation) {
  case Operation::Constant:
    return node.number;
  case Operation::Result:
    return valueOf(*node.figure);
  default:
    return ir::apply(node.operation, evaluate(node.left, valueOf), evaluate(node.right, valueOf));
  }
}

namespace {
/// How tightly an operator binds; what stands alone is 3.
int precedence(Operation operation) {
  switch (operation) {
  case Operation::Add:
  case Operation::Subtract:
    return 1;
  case Operation::Multiply:
  case Operation::Divide:
    return 2;
  default:
    return 3;
  }
}
const char* sign(Operation operation) {
  return operation == Operation::Add        ? " + "
         : operation == Operation::Subtract ? " - "
         : operation == Operation::Multiply ? " * "
                                            : " / ";
}
bool isCall(Operation operation) {
  return operation == Operation::Minimum || operation == Operation::Maximum;
}
} // namespace

void Expressions::print(std::uint32_t root, int outer, std::string& out,
                        llvm::function_ref<std::string(const Figure&)> nameOf) const {
  const Node& node = nodes[root];
  if (node.operation == Operation::Constant) {
    out += fmt::format("{:.17g}", node.number);
  } else if (node.operation == Operation::Result) {
    out += nameOf(*node.figure);
  } else if (isCall(node.operation)) {
    out += node.operation == Operation::Minimum ? "min(" : "max(";
    print(node.left, 0, out, nameOf);
    out += ", ";
    print(node.right, 0, out, nameOf);
    out += ")";
  } else {
    const int own = precedence(node.operation);
    const bool parentheses = own < outer;
    // To the right of a difference or a quotient an operator of the same strength needs them too.
    const bool strict =
        node.operation == Operation::Subtract || node.operation == Operation::Divide;
    out += parentheses ? "(" : "";
    print(node.left, own, out, nameOf);
    out += sign(node.operation);
    print(node.right, strict ? own + 1 : own, out, nameOf);
    out += parentheses ? ")" : "";
  }
}

std::string Expressions::text(std::uint32_t root,
                              llvm::function_ref<std::string(const Figure&)> nameOf) const {
  std::string out;
  if (root != 0)
    print(root, 0, out, nameOf);
  return out;
}

const Figure* Expressions::deciding(std::uint32_t root) const {
  const Node& node = nodes[root];
  if (!isCall(node.operation))
    return nullptr;
  const auto valueOf = [](const Figure& figure) { return figure.value; };
  const double whole = evaluate(root, valueOf);
  for (const std::uint32_t side : {node.left, node.right})
    if (nodes[side].operation == Operation::Result && evaluate(side, valueOf) == whole)
      return nodes[side].figure;
  return nullptr;
}

//===- FormulaTrees.cpp - The formulas of figures as trees ------------------------------------===//
#include "figures/FormulaTrees.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::Operation;

std::uint32_t FormulaTrees::constant(double number) {
  nodes.push_back({Operation::Constant, 0, 0, number, nullptr});
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

std::uint32_t FormulaTrees::read(const Figure& figure) {
  nodes.push_back({Operation::Result, 0, 0, 0, &figure});
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

std::uint32_t FormulaTrees::operation(Operation operation, std::uint32_t left,
                                      std::uint32_t right) {
  nodes.push_back({operation, left, right, 0, nullptr});
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

std::vector<const Figure*> FormulaTrees::inputsOf(std::uint32_t root) const {
  std::vector<const Figure*> inputs;
  llvm::SmallPtrSet<const Figure*, 16> known;
  std::vector<std::uint32_t> open;
  if (root != 0)
    open.push_back(root);
  while (!open.empty()) {
    const FormulaNode& node = nodes[open.back()];
    open.pop_back();
    if (node.operation == Operation::Result) {
      if (known.insert(node.figure).second)
        inputs.push_back(node.figure);
    } else if (node.operation != Operation::Constant) {
      open.push_back(node.right);
      open.push_back(node.left);
    }
  }
  return inputs;
}

double FormulaTrees::evaluate(std::uint32_t root,
                              llvm::function_ref<double(const Figure&)> valueOf) const {
  // Sums are nested to the left.
  llvm::SmallVector<const FormulaNode*, 16> spine;
  const auto isLeaf = [](const FormulaNode& node) {
    return node.operation == Operation::Constant || node.operation == Operation::Result;
  };
  for (; !isLeaf(nodes[root]); root = nodes[root].left)
    spine.push_back(&nodes[root]);
  const FormulaNode& leaf = nodes[root];
  double value = leaf.operation == Operation::Constant ? leaf.number : valueOf(*leaf.figure);
  for (const FormulaNode* node : llvm::reverse(spine))
    value = ir::apply(node->operation, value, evaluate(node->right, valueOf));
  return value;
}

namespace {
/// Precedence of an operator; 3 for operands.
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
bool isBinary(Operation operation) {
  return operation == Operation::Add || operation == Operation::Subtract ||
         operation == Operation::Multiply || operation == Operation::Divide;
}
} // namespace

void FormulaTrees::print(std::uint32_t root, int outer, std::string& out,
                         llvm::function_ref<std::string(const Figure&)> nameOf) const {
  const FormulaNode& node = nodes[root];
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
    // Sums are nested to the left: descends to their first operand, and returns over the others.
    llvm::SmallVector<std::pair<const FormulaNode*, bool>, 16> spine;
    std::uint32_t left = root;
    for (; isBinary(nodes[left].operation); left = nodes[left].left) {
      const int own = precedence(nodes[left].operation);
      spine.emplace_back(&nodes[left], own < outer);
      out += own < outer ? "(" : "";
      outer = own;
    }
    print(left, outer, out, nameOf);
    for (const auto& [parent, parentheses] : llvm::reverse(spine)) {
      // To the right of a difference or quotient, an operator of equal precedence also needs
      // parentheses.
      const bool strict =
          parent->operation == Operation::Subtract || parent->operation == Operation::Divide;
      out += sign(parent->operation);
      print(parent->right, precedence(parent->operation) + (strict ? 1 : 0), out, nameOf);
      out += parentheses ? ")" : "";
    }
  }
}

std::string FormulaTrees::text(std::uint32_t root,
                               llvm::function_ref<std::string(const Figure&)> nameOf) const {
  std::string out;
  if (root != 0)
    print(root, 0, out, nameOf);
  return out;
}

const Figure* FormulaTrees::deciding(std::uint32_t root) const {
  const FormulaNode& node = nodes[root];
  if (!isCall(node.operation))
    return nullptr;
  const auto valueOf = [](const Figure& figure) { return figure.value; };
  const double whole = evaluate(root, valueOf);
  for (const std::uint32_t side : {node.left, node.right})
    if (nodes[side].operation == Operation::Result && evaluate(side, valueOf) == whole)
      return nodes[side].figure;
  return nullptr;
}

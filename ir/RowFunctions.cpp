//===- RowFunctions.cpp - Functions over the rows of a study ----------------------------------===//
#include "ir/RowFunctions.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::ir;

llvm::ArrayRef<RowFunction> ir::rowFunctions() {
  constexpr unsigned any = ~0U;
  static constexpr RowFunction rows[] = {
      {"marginal", RowFunctionKind::Marginal, 1, 2,
       "a figure and what it is divided by, as `marginal(tokens_per_second, step_time)`"},
      {"first", RowFunctionKind::First, 1, 1,
       "a value and a condition, as `first(pod.nodes where mfu < 0.4)`"},
      {"pareto", RowFunctionKind::Pareto, 2, any,
       "two or more numbers of which less is better, as `pareto(step_time, -mfu)`"}};
  return rows;
}

const RowFunction* ir::rowFunctionNamed(llvm::StringRef name) {
  const auto* row =
      llvm::find_if(rowFunctions(), [&](const RowFunction& each) { return name == each.name; });
  return row == rowFunctions().end() ? nullptr : row;
}

const RowFunction* ir::rowFunctionOf(const AssertionNode& node) {
  return node.operation == Operation::Result && !node.operands.empty()
             ? rowFunctionNamed(llvm::StringRef(node.path).split('(').first.rtrim())
             : nullptr;
}

bool ir::readsRows(const Assertion& expression) {
  return llvm::any_of(expression.nodes,
                      [](const AssertionNode& node) { return rowFunctionOf(node) != nullptr; });
}

Assertion ir::operandOf(const Assertion& expression, const AssertionNode& node,
                        std::size_t operand) {
  Assertion out;
  out.source = expression.source;
  // The operands of a node come before it, so that the tree of an operand ends with it.
  out.nodes.assign(expression.nodes.begin(),
                   expression.nodes.begin() + static_cast<std::ptrdiff_t>(node.operands[operand]) +
                       1);
  return out;
}

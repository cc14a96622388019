#pragma once
//===- FormulaTrees.h - The formulas of figures as trees --------------------------------------===//
#include "figures/Figure.h"
#include "ir/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dpl::figures {

/// All nodes of a plan's formulas. A node is identified by its index; 0 is none.
class FormulaTrees {
public:
  std::uint32_t constant(double number);
  std::uint32_t read(const Figure& figure);
  std::uint32_t operation(ir::Operation operation, std::uint32_t left, std::uint32_t right);

  /// The figures that an expression reads, without duplicates, from left to right.
  std::vector<const Figure*> inputsOf(std::uint32_t root) const;
  /// The value of the formula for the given values of figures.
  double evaluate(std::uint32_t root, llvm::function_ref<double(const Figure&)> valueOf) const;
  /// The formula as a text, "a + 2 * max(b, c)", with the given text for each figure.
  std::string text(std::uint32_t root, llvm::function_ref<std::string(const Figure&)> nameOf) const;
  /// For a minimum or maximum, the figure that decides it; otherwise null. An explanation follows
  /// only this figure.
  const Figure* deciding(std::uint32_t root) const;

private:
  struct FormulaNode {
    ir::Operation operation = ir::Operation::Constant;
    std::uint32_t left = 0, right = 0;
    double number = 0;
    const Figure* figure = nullptr;
  };
  void print(std::uint32_t root, int outer, std::string& out,
             llvm::function_ref<std::string(const Figure&)> nameOf) const;
  std::vector<FormulaNode> nodes{FormulaNode()};
};

} // namespace dpl::figures

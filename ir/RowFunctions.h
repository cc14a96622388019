#pragma once
//===- RowFunctions.h - Functions over the rows of a study ------------------------------------===//
//
// In an expression of a study, a Result node with operands is a function over the rows. Its path is
// the call as written, and its `text` the path of the varied field whose candidates are the rows in
// order; the other fields are equal in these rows. The operands are evaluated at several rows.
#include "ir/Assertion.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::ir {

enum class RowFunctionKind : std::uint8_t {
  Marginal, ///< `marginal(y, x)`: change of y per change of x since the previous row
  First,    ///< `first(x where c)`: x in the first row in which c holds
  Pareto    ///< `pareto(a, b)`: whether no other row has less of one value and more of none
};

struct RowFunction {
  const char* name;
  RowFunctionKind kind;
  unsigned least, most; ///< number of arguments
  const char* takes;    ///< description of the arguments in messages
};
llvm::ArrayRef<RowFunction> rowFunctions();
/// The row of a function; null for other names.
const RowFunction* rowFunctionNamed(llvm::StringRef name);
/// The function that a node calls; null for other nodes.
const RowFunction* rowFunctionOf(const AssertionNode& node);
/// Whether the value of an expression depends on several rows.
bool readsRows(const Assertion& expression);
/// The operand of a node as an expression of its own.
Assertion operandOf(const Assertion& expression, const AssertionNode& node, std::size_t operand);

} // namespace dpl::ir

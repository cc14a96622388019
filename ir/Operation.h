#pragma once
//===- Operation.h - The operations in expressions --------------------------------------------===//
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dpl::ir {

/// Operations of assertions and of formulas of figures.
enum class Operation : std::uint8_t {
  Constant,
  Result,
  Multiply,
  Divide,
  Remainder,
  Add,
  Subtract,
  Minimum,
  Maximum,
  Negate,
  Equal,
  NotEqual,
  LessEqual,
  GreaterEqual,
  Less,
  Greater,
  In,
  And,
  Or,
  Not,
  If
};

/// Arithmetic on doubles, Multiply … Maximum.
inline double apply(Operation operation, double x, double y) {
  switch (operation) {
  case Operation::Multiply:
    return x * y;
  case Operation::Divide:
    return x / y;
  case Operation::Remainder:
    return x - y * std::floor(x / y);
  case Operation::Add:
    return x + y;
  case Operation::Subtract:
    return x - y;
  case Operation::Minimum:
    return std::min(x, y);
  case Operation::Maximum:
    return std::max(x, y);
  default:
    return 0;
  }
}

} // namespace dpl::ir

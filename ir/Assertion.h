#pragma once
//===- Assertion.h - An assert of the file as an expression tree ------------------------------===//
#include "ir/Basics.h"
#include "ir/Operation.h"
#include "support/Number.h"
#include "support/Result.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace dpl {
class DiagnosticEngine;
}

namespace dpl::ir {

/// A node of the tree. Nodes are stored in post-order, so operands have smaller indexes. Operators
/// are nodes with operands. The front end evaluates names, fields and calls: each is one Constant
/// node, or a Result node if it is a figure.
struct AssertionNode {
  Operation operation = Operation::Constant;
  /// Operands of In: the value, then the values it is compared with; with `text` ".." the two
  /// inclusive ends of a range. Operands of If: condition, then, else.
  std::vector<std::uint64_t> operands;
  /// For a Constant: a number ("Bytes" etc. in `dimension`), a truth value or a name.
  std::string number;    ///< exact, as Rational::str(); empty if not a number
  std::string dimension; ///< type name of the language; "" for a plain number
  std::string scope;     ///< "gpu"; usually empty
  std::string unit;      ///< as written, for printing
  std::string text;      ///< truth value ("true"), name or string
  std::string path;      ///< path of a Result: "memory.peak"
  /// Columns of this node in `Assertion::source`, for the diagram.
  std::uint64_t begin = 0, end = 0;
  std::uint64_t anchor = 0; ///< column under which the diagram shows the value: that of an operator

  template <class V> void fields(V& v) {
    v("operation", operation), v("operands", operands), v("number", number);
    v("dimension", dimension), v("scope", scope), v("unit", unit), v("text", text), v("path", path);
    v("begin", begin), v("end", end), v("anchor", anchor);
  }
};

struct Assertion {
  std::string source;               ///< the expression as written, on one line
  std::string reason;               ///< text from the file; may be empty
  std::vector<AssertionNode> nodes; ///< the last one is the root
  SourceRange range;                ///< location for messages; not printed
  std::string schema;               ///< schema with this assertion, and its location; not printed
  SourceRange stated;
  template <class V> void fields(V& v) {
    v("source", source), v("reason", reason), v("node", nodes);
  }
};

/// The result of an assertion, and the diagram to print if it is false.
struct Verdict {
  bool holds = true;
  bool known = true;   ///< false if the plan lacks a figure that the assertion reads
  std::string missing; ///< path of this figure
  std::string error;   ///< message if arithmetic failed, otherwise empty
  std::string diagram; ///< the expression with the value of each part below it
};
/// The value of a figure in base units, or the name of a choice.
struct ResultValue {
  double value = 0;
  Dimension dimension{};
  std::string name{}; ///< "gpipe"; empty for a figure
};
/// Returns nothing if the plan has no figure with this path.
using FindResult = llvm::function_ref<std::optional<ResultValue>(const std::string& path)>;
inline std::optional<ResultValue> noResult(const std::string&) { return std::nullopt; }
/// Evaluates an assertion with the figures of a plan. The front end evaluates asserts that read no
/// figure with noResult. `and` and `or` stop at the side that decides; parts that were not
/// evaluated are not drawn.
Verdict evaluate(const Assertion& a, FindResult results);
/// The value of a numeric expression; nothing if a figure does not exist or arithmetic fails.
std::optional<ResultValue> quantity(const Assertion& a, FindResult results);
/// Reports a verdict; success if the assertion holds.
LogicalResult report(const Assertion& a, const Verdict& verdict, DiagnosticEngine& diags);

} // namespace dpl::ir

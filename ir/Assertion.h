#pragma once
//===- Assertion.h - An assert of the file as a tree that can be evaluated and drawn ----------===//
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

/// A node of the tree, stored in post-order: operands have smaller indexes. A subtree without a
/// result was evaluated by the front end and is one or more Constant nodes below an operation whose
/// own value is known too.
struct AssertionNode {
  Operation operation = Operation::Constant;
  /// Of In: the value, then what it is compared with; with `text` ".." those are the two ends of a
  /// range, both included. Of If: condition, then, else.
  std::vector<std::uint64_t> operands;
  /// Of a Constant: a number ("Bytes" etc. in `dimension`), a truth value or a name.
  std::string number;    ///< exact, as Rational::str(); empty when not a number
  std::string dimension; ///< type name of the language; "" is a plain number
  std::string scope;     ///< "gpu"; usually empty
  std::string unit;      ///< as written, for printing
  std::string text;      ///< of a truth value ("true"), a name or a string
  std::string path;      ///< of a Result: "memory.peak"
  /// Columns of this node in `Assertion::source`, for the diagram.
  std::uint64_t begin = 0, end = 0;
  std::uint64_t anchor = 0; ///< the column under which the value is drawn: an operator's own

  template <class V> void fields(V& v) {
    v("operation", operation), v("operands", operands), v("number", number);
    v("dimension", dimension), v("scope", scope), v("unit", unit), v("text", text), v("path", path);
    v("begin", begin), v("end", end), v("anchor", anchor);
  }
};

struct Assertion {
  std::string source;               ///< the expression as written, on one line
  std::string reason;               ///< the user's words; may be empty
  std::vector<AssertionNode> nodes; ///< the last is the root
  SourceRange range;                ///< where it is broken; not printed
  std::string schema;               ///< that asserts it, with the place; not printed either
  SourceRange stated;
  template <class V> void fields(V& v) {
    v("source", source), v("reason", reason), v("node", nodes);
  }
};

/// What an assertion came to: its truth, and the diagram to print when it is false.
struct Verdict {
  bool holds = true;
  bool known = true;   ///< false when a result it reads does not exist in this plan
  std::string missing; ///< that result
  std::string error;   ///< arithmetic failed: what the message says; else empty
  std::string diagram; ///< the expression with each part's value beneath it
};
/// The value of a figure in base units, or the name of a choice.
struct ResultValue {
  double value = 0;
  Dimension dimension{};
  std::string name{}; ///< "gpipe"; empty for a figure
};
/// Nothing when the plan has no figure of that path.
using FindResult = llvm::function_ref<std::optional<ResultValue>(const std::string& path)>;
inline std::optional<ResultValue> noResult(const std::string&) { return std::nullopt; }
/// Evaluates with the results; the front end calls it with none for asserts that read no result.
/// `and` and `or` stop at the side that decides; what was not evaluated is not drawn.
Verdict evaluate(const Assertion& a, FindResult results);
/// The number that an expression comes to; nothing where a result does not exist or arithmetic
/// fails.
std::optional<ResultValue> quantity(const Assertion& a, FindResult results);
/// Says what a verdict came to; success when the assertion holds.
LogicalResult report(const Assertion& a, const Verdict& verdict, DiagnosticEngine& diags);

} // namespace dpl::ir

//===- Assertions.cpp - Lowers expressions to trees for passes and diagrams -------------------===//
#include "frontend/sema/CandidateNames.h"
#include "frontend/sema/Checker.h"
#include "frontend/sema/RowFunctions.h"
#include "ir/DimensionText.h"
#include "ir/FigureNames.h"
#include "ir/RowFunctions.h"
#include "support/diagnostics/Schema.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"
using namespace dpl;
using namespace dpl::sema;
using ast::BinaryOp;

namespace {
/// Lowers expressions to nodes of a plan, for one assertion or objective.
class ExpressionLowering {
public:
  ExpressionLowering(Evaluator& evaluator, SourceRange of, const SpaceOf& space)
      : evaluator(evaluator), candidate(evaluator, space), text(evaluator.shared.sources.text(of)),
        start(of.begin) {
    out.range = of;
    // The text is put on one line: a line end and the blanks around it become one blank.
    for (std::size_t i = 0; i < text.size(); ++i) {
      columns.push_back(out.source.size());
      const bool blank = text[i] == '\n' || text[i] == '\r' || text[i] == '\t';
      if (!blank && !(text[i] == ' ' && !out.source.empty() && out.source.back() == ' '))
        out.source += text[i];
      else if (blank && !out.source.empty() && out.source.back() != ' ')
        out.source += ' ';
    }
    columns.push_back(out.source.size());
  }

  std::uint64_t expr(const ast::Expr& e, const Environment& scope) {
    switch (e.kind) {
    case ast::Expr::ExprKind::Group:
      return expr(llvm::cast<ast::GroupExpr>(e).inner, scope);
    case ast::Expr::ExprKind::Unary: {
      const auto& u = llvm::cast<ast::UnaryExpr>(e);
      ir::AssertionNode node = at(e.range);
      node.operation = u.op == ast::UnaryOp::Not ? ir::Operation::Not : ir::Operation::Negate;
      node.operands = {expr(u.operand, scope)};
      return add(std::move(node));
    }
    case ast::Expr::ExprKind::If: {
      const auto& i = llvm::cast<ast::IfExpr>(e);
      ir::AssertionNode node = at(e.range);
      node.operation = ir::Operation::If;
      node.operands = {expr(i.condition, scope)};
      node.operands.push_back(expr(i.then, scope));
      node.operands.push_back(expr(i.otherwise, scope));
      return add(std::move(node));
    }
    case ast::Expr::ExprKind::Binary:
      return binary(llvm::cast<ast::BinaryExpr>(e), scope);
    case ast::Expr::ExprKind::Call: {
      const auto& call = llvm::cast<ast::CallExpr>(e);
      const auto* callee = llvm::dyn_cast<ast::NameExpr>(&call.function);
      const ir::RowFunction* function = callee ? ir::rowFunctionNamed(callee->name) : nullptr;
      return function && evaluator.rows ? overRows(call, *function, scope)
                                        : leaf(e, evaluator.evaluate(e, scope, nullptr), scope);
    }
    case ast::Expr::ExprKind::Name:
      if (const FoundName let = letOf(e, scope))
        return ofLet(e, let);
      [[fallthrough]];
    default:
      return leaf(e, evaluator.evaluate(e, scope, nullptr), scope);
    }
  }

  /// Adds an expression as a single node with its value.
  std::uint64_t leaf(const ast::Expr& e, const Value& value, const Environment& scope) {
    ir::AssertionNode node = at(e.range);
    if (const std::string path = candidate.path(e, scope); !path.empty()) {
      node.operation = ir::Operation::Result;
      node.path = path;
      return add(std::move(node));
    }
    const bool result = value.is(Value::ValueKind::Result);
    const bool figure = result && !value.figure.path.empty(); // `run[train].time`
    expressible &= figure || (!candidate.reads(e, scope) && !(result && candidate.known()));
    if (e.kind == ast::Expr::ExprKind::Member) // a message shows the value below the last name
      node.anchor = column(llvm::cast<ast::MemberExpr>(e).name.range.begin);
    switch (value.kind) {
    case Value::ValueKind::Number:
      node.number = value.number.value.str();
      node.dimension = ir::dimensionText(value.number.dimension);
      node.scope = dpl::name(value.number.scope).str();
      node.unit = value.number.unit ? value.number.unit->text : "";
      break;
    case Value::ValueKind::Bool:
      node.text = value.truth ? "true" : "false";
      break;
    case Value::ValueKind::Result:
      node.operation = ir::Operation::Result;
      node.path = value.figure.path.str();
      break;
    case Value::ValueKind::Choice:
      node.text = value.member->name.str();
      break;
    case Value::ValueKind::String:
      node.text = value.text.str();
      break;
    case Value::ValueKind::Absent:
      node.text = "none";
      break;
    default:
      node.text = evaluator.describe(value);
      break;
    }
    return add(std::move(node));
  }

  ir::Assertion take() {
    if (!expressible)
      out.nodes.clear();
    return std::move(out);
  }

  ir::Assertion out;

private:
  std::uint64_t column(std::uint32_t byte) const {
    if (insideLet)
      byte = insideLet->begin;
    const std::size_t i = byte < start ? 0 : byte - start;
    return columns[std::min(i, columns.size() - 1)];
  }
  ir::AssertionNode at(SourceRange range) const {
    ir::AssertionNode node;
    node.begin = node.anchor = column(range.begin);
    node.end = column(range.end);
    return node;
  }
  std::uint64_t add(ir::AssertionNode node) {
    out.nodes.push_back(std::move(node));
    return out.nodes.size() - 1;
  }

  /// Finds a `let` that is not constant, because a candidate changes it or it is computed from
  /// figures.
  FoundName letOf(const ast::Expr& e, const Environment& scope) {
    if (const FoundName let = candidate.let(e, scope))
      return let;
    const FoundName found = evaluator.lookup(llvm::cast<ast::NameExpr>(e).name, scope);
    if (found.kind != FoundName::FoundKind::Let)
      return {};
    const Value value = evaluator.evaluate(e, scope, nullptr);
    return value.is(Value::ValueKind::Result) && value.figure.path.empty() ? found : FoundName{};
  }

  /// Adds the value of a `let`. Its nodes have the place of the name.
  std::uint64_t ofLet(const ast::Expr& e, const FoundName& found) {
    const llvm::SaveAndRestore<std::optional<SourceRange>> place(insideLet,
                                                                 insideLet ? insideLet : e.range);
    return expr(found.let->value, *found.scope);
  }

  /// Adds a function over rows (ir/RowFunctions.h), with its arguments as operands. The rows vary
  /// along the varied field that the last argument reads, otherwise along the first varied field.
  std::uint64_t overRows(const ast::CallExpr& call, const ir::RowFunction& function,
                         const Environment& scope) {
    ir::AssertionNode node = at(call.range);
    node.operation = ir::Operation::Result;
    const RowsOfStudy::VariedField* along = nullptr;
    for (const ast::Argument& argument : call.arguments) {
      const std::size_t before = out.nodes.size();
      node.operands.push_back(expr(*argument.value, scope));
      for (const ir::AssertionNode& part : llvm::makeArrayRef(out.nodes).drop_front(before))
        if (const RowsOfStudy::VariedField* field = evaluator.rows->named(part.path))
          along = field;
      if (argument.where)
        node.operands.push_back(expr(*argument.where, scope));
    }
    const bool marginal = function.kind == ir::RowFunctionKind::Marginal;
    if (!along || (marginal && node.operands.size() == 1))
      along = evaluator.rows->first();
    if (marginal && node.operands.size() == 1 && along) {
      ir::AssertionNode field = at(call.range);
      field.operation = ir::Operation::Result, field.path = along->path;
      node.operands.push_back(add(std::move(field)));
    }
    if (along && function.kind != ir::RowFunctionKind::Pareto)
      node.text = along->path;
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(evaluator.shared.sources.text(call.range), words, " \t\r\n");
    node.path = llvm::join(words, " ");
    return add(std::move(node));
  }

  std::uint64_t binary(const ast::BinaryExpr& b, const Environment& scope) {
    static constexpr std::pair<BinaryOp, ir::Operation> operations[] = {
        {BinaryOp::Multiply, ir::Operation::Multiply},
        {BinaryOp::Divide, ir::Operation::Divide},
        {BinaryOp::Remainder, ir::Operation::Remainder},
        {BinaryOp::Add, ir::Operation::Add},
        {BinaryOp::Subtract, ir::Operation::Subtract},
        {BinaryOp::Equal, ir::Operation::Equal},
        {BinaryOp::NotEqual, ir::Operation::NotEqual},
        {BinaryOp::LessEqual, ir::Operation::LessEqual},
        {BinaryOp::GreaterEqual, ir::Operation::GreaterEqual},
        {BinaryOp::Less, ir::Operation::Less},
        {BinaryOp::Greater, ir::Operation::Greater},
        {BinaryOp::In, ir::Operation::In},
        {BinaryOp::And, ir::Operation::And},
        {BinaryOp::Or, ir::Operation::Or}};
    ir::AssertionNode node = at(b.range);
    node.anchor = column(b.opRange.begin);
    for (const auto& [from, to] : operations)
      if (from == b.op)
        node.operation = to;
    const bool compares =
        node.operation >= ir::Operation::Equal && node.operation <= ir::Operation::In;
    // In a comparison each side is evaluated with the type of the other, so that a bare name can be
    // read.
    if (compares) {
      const bool leftOpen =
          isBare(b.left) && !evaluator.lookup(llvm::cast<ast::NameExpr>(b.left).name, scope);
      Value left;
      if (leftOpen) {
        const Value right = evaluator.evaluate(b.right, scope, nullptr);
        left = evaluator.evaluateBeside(b.left, scope, right);
        node.operands = {leaf(b.left, left, scope)};
      } else {
        left = evaluator.evaluate(b.left, scope, nullptr);
        node.operands = {expr(b.left, scope)};
      }
      if (b.op == BinaryOp::In)
        container(b.right, evaluator.evaluateBeside(b.right, scope, left), scope, node);
      else if (isBare(b.right) && !letOf(b.right, scope))
        node.operands.push_back(
            leaf(b.right, evaluator.evaluateBeside(b.right, scope, left), scope));
      else
        node.operands.push_back(expr(b.right, scope));
      sharesAreAtMostOne(b, node);
      return add(std::move(node));
    }
    node.operands = {expr(b.left, scope)};
    node.operands.push_back(expr(b.right, scope));
    return add(std::move(node));
  }

  /// Reports a fraction, such as `mfu`, that is compared with a number above 1, because a
  /// percentage was probably meant. Up to 1.001 may be a rounding error.
  void sharesAreAtMostOne(const ast::BinaryExpr& b, const ir::AssertionNode& node) {
    static const Rational most = *Rational::of(1001, 1000);
    for (std::size_t side = 0; side < node.operands.size(); ++side) {
      const ir::AssertionNode& share = out.nodes[node.operands[side]];
      if (share.operation != ir::Operation::Result || !ir::isShareFigure(share.path))
        continue;
      for (std::size_t other = 0; other < node.operands.size(); ++other) {
        const ir::AssertionNode& limit = out.nodes[node.operands[other]];
        const auto number = Rational::parse(limit.number);
        if (other == side || !number || Rational::compare(*number, most) <= 0)
          continue;
        const SourceRange at = other == 0 ? b.left.range : b.right.range;
        const std::string written = evaluator.shared.sources.text(at).str();
        auto report =
            evaluator.shared.diags.report<diag::ShareAboveOne>(at, share.path, "`" + written + "`");
        const bool plain = limit.unit.empty() && b.op != BinaryOp::In;
        if (plain && Rational::compare(*number, 100) <= 0)
          std::move(report)
              .help(fmt::format("write `{0}pct` for {0} %", written))
              .edit(at, written + "pct");
        expressible = false; // the assertion is then not evaluated
        return;
      }
    }
  }

  void container(const ast::Expr& e, const Value& in, const Environment& scope,
                 ir::AssertionNode& node) {
    if (in.is(Value::ValueKind::Range))
      node.text = "..";
    for (const Value& v : in.list)
      node.operands.push_back(leaf(e, v, scope));
  }
  static bool isBare(const ast::Expr& e) { return e.kind == ast::Expr::ExprKind::Name; }

  Evaluator& evaluator;
  const CandidateNames candidate;
  bool expressible = true;              ///< whether the nodes contain everything that a candidate
                                        ///< changes
  std::optional<SourceRange> insideLet; ///< place of the name of the outermost `let` that is being
                                        ///< lowered
  llvm::StringRef text;
  std::uint32_t start;
  std::vector<std::uint64_t> columns; ///< column in `source` for each byte of the text
};
} // namespace

ir::Assertion sema::lowerAssertion(Evaluator& evaluator, const ast::CheckStmt& check,
                                   const Environment& scope, const SpaceOf& space) {
  const llvm::SaveAndRestore<bool> results(evaluator.resultsAllowed, true);
  ExpressionLowering lowering(evaluator, check.condition.range, space);
  lowering.expr(check.condition, scope);
  ir::Assertion made = lowering.take();
  made.reason = check.reason.str();
  return made;
}

ir::DerivedOutput sema::lowerLet(Evaluator& evaluator, const ast::LetStmt& let, const Value& value,
                                 const Environment& scope, const SpaceOf& space) {
  ExpressionLowering lowering(evaluator, let.value.range, space);
  lowering.expr(let.value, scope);
  const bool truth = value.is(Value::ValueKind::Bool) || value.truth;
  return {let.name.text.str(), truth ? "Bool" : ir::dimensionText(value.dimension()),
          lowering.take()};
}

const ast::CallExpr* sema::paretoOf(const ast::Expr& value) {
  const ast::Expr* inner = &value;
  while (const auto* group = llvm::dyn_cast<ast::GroupExpr>(inner))
    inner = &group->inner;
  const auto* call = llvm::dyn_cast<ast::CallExpr>(inner);
  const auto* name = call ? llvm::dyn_cast<ast::NameExpr>(&call->function) : nullptr;
  return name && name->name == "pareto" ? call : nullptr;
}

std::vector<LoweredObjective> sema::lowerObjectives(Evaluator& evaluator,
                                                    const ast::ObjectiveStmt& stmt,
                                                    const Environment& scope,
                                                    const SpaceOf& space) {
  const llvm::SaveAndRestore<bool> results(evaluator.resultsAllowed, true);
  std::vector<LoweredObjective> out;
  const auto add = [&](SourceRange at, auto lower) {
    ExpressionLowering lowering(evaluator, at, space);
    lower(lowering);
    ir::Assertion made = lowering.take();
    out.push_back({at, {stmt.maximize, std::move(made.source), std::move(made.nodes)}});
  };
  if (const ast::CallExpr* front = paretoOf(stmt.value)) {
    for (const ast::Argument& part : front->arguments)
      add(part.value->range, [&](ExpressionLowering& to) { to.expr(*part.value, scope); });
    return out;
  }
  const ast::Expr* whole = &stmt.value;
  while (const auto* group = llvm::dyn_cast<ast::GroupExpr>(whole))
    whole = &group->inner;
  const Value value = evaluator.evaluate(*whole, scope, nullptr);
  if (const auto* list = llvm::dyn_cast<ast::ListExpr>(whole))
    for (const ast::Expr* part : list->values)
      add(part->range, [&](ExpressionLowering& to) { to.expr(*part, scope); });
  else if (value.is(Value::ValueKind::List)) // list of figures that a comprehension makes
    for (const Value& part : value.list)
      add(part.range.valid() ? part.range : whole->range,
          [&](ExpressionLowering& to) { to.leaf(*whole, part, scope); });
  else
    add(whole->range, [&](ExpressionLowering& to) { to.expr(*whole, scope); });
  return out;
}

#pragma once
//===- CandidateNames.h - What an expression of a search reads of a candidate
//------------------===//
#include "frontend/sema/Evaluator.h"

namespace dpl::sema {

/// A `search layout` or a `study`, and the paths that a study varies.
struct SpaceOf {
  const Object* block = nullptr;
  std::vector<std::string> varied;
};

/// Which names of an expression stand for fields whose values another candidate changes: those of a
/// searched layout, and those that a study varies. Without either none does.
class CandidateNames {
public:
  CandidateNames(Evaluator& evaluator, const SpaceOf& space) : evaluator(evaluator), space(space) {}

  bool known() const { return space.block != nullptr; }
  /// "layout.mesh.tensor" where the expression is that field of a search, and the path as it is
  /// written where a study varies it; else empty.
  std::string path(const ast::Expr& expr, const Environment& scope) const;
  /// The `let` of the search or study that the expression names, if it does.
  FoundName let(const ast::Expr& expr, const Environment& scope) const;
  /// Whether a part of the expression is such a field or `let`.
  bool reads(const ast::Expr& expr, const Environment& scope) const;

private:
  bool holds(const Object* object) const;
  Evaluator& evaluator;
  const SpaceOf& space;
};

} // namespace dpl::sema

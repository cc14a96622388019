#pragma once
//===- CandidateNames.h - Names in an expression that depend on the candidate -----------------===//
#include "frontend/sema/Evaluator.h"

namespace dpl::sema {

/// A `search layout` or a `study`, and the paths that it varies.
struct SpaceOf {
  const Object* block = nullptr;
  std::vector<std::string> varied;
};

/// Finds names in expressions whose values differ between candidates: fields of a searched layout,
/// and fields that a study varies. Without a search or study there are none.
class CandidateNames {
public:
  CandidateNames(Evaluator& evaluator, const SpaceOf& space) : evaluator(evaluator), space(space) {}

  bool known() const { return space.block != nullptr; }
  /// "layout.mesh.tensor" if the expression is that field of a search, or the path as written if
  /// `vary` has it; else empty. In a search this holds also for a part of such a path.
  std::string path(const ast::Expr& expr, const Environment& scope) const;
  /// The `let` of the search or study that an expression names, if there is one.
  FoundName let(const ast::Expr& expr, const Environment& scope) const;
  /// Whether a part of an expression is such a field or `let`.
  bool reads(const ast::Expr& expr, const Environment& scope) const;

private:
  bool holds(const Object* object) const;
  Evaluator& evaluator;
  const SpaceOf& space;
};

} // namespace dpl::sema

#pragma once
//===- VariedPath.h - Which fields the paths of a study set -----------------------------------===//
#include "frontend/sema/Evaluator.h"

namespace dpl::sema {

/// A path that a study varies, in steps that compare however they are written: `a.layer[0]` is
/// `a . layer[0..0]`.
class VariedPath {
public:
  /// Nothing where an index selects nothing that is known.
  static std::optional<VariedPath> of(Evaluator& evaluator, llvm::ArrayRef<ast::PathStep> path,
                                      const Environment& scope);
  enum class Relation {
    Apart,
    Same,
    Part,   ///< all that it sets is a part of what the other one sets
    Whole,  ///< the other way round
    Overlap ///< each sets something that the other one does not
  };
  Relation to(const VariedPath& other) const;

private:
  struct VariedStep {
    llvm::StringRef name; ///< of a field, or of an element
    bool all = false;     ///< elements
    std::int64_t first = 0, last = 0;
    bool meets(const VariedStep& o) const {
      return all || o.all || (name == o.name && first <= o.last && o.first <= last);
    }
    bool isIn(const VariedStep& o) const {
      return o.all || (!all && name == o.name && o.first <= first && last <= o.last);
    }
  };
  static std::optional<VariedStep> elements(Evaluator& evaluator, const ast::Expr& index,
                                            const Type& key, const Environment& scope);
  llvm::SmallVector<VariedStep, 6> steps;
};

} // namespace dpl::sema

#pragma once
//===- VariedPath.h - Relations between the paths that a study varies -------------------------===//
#include "frontend/sema/Evaluator.h"

namespace dpl::sema {

/// A path that a study varies, as steps that do not depend on how it is written: `a.layer[0]` is `a
/// . layer[0..0]`.
class VariedPath {
public:
  /// Converts a path. None if the value of an index is not known.
  static std::optional<VariedPath> of(Evaluator& evaluator, llvm::ArrayRef<ast::PathStep> path,
                                      const Environment& scope);
  enum class Relation {
    Apart,
    Same,
    Part,   ///< the fields of this path are some of the other's
    Whole,  ///< the fields of the other path are some of this one's
    Overlap ///< each path sets fields that the other does not set
  };
  Relation to(const VariedPath& other) const;

private:
  struct VariedStep {
    llvm::StringRef name; ///< name of a field or element
    bool all = false;     ///< whether the step means all elements
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

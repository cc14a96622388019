#pragma once
//===- FrameGuard.h - One field or `let` that is being worked out -----------------------------===//
#include "frontend/sema/ExpressionEvaluator.h"
#include "llvm/Support/SaveAndRestore.h"

namespace dpl::sema {

/// Enters the chain that circles are found in, and leaves it again.
class FrameGuard {
public:
  FrameGuard(ExpressionEvaluator& expressions, Object* object, llvm::StringRef name,
             const void* identity, SourceRange use)
      : expressions(expressions), use(use) {
    expressions.frames.push_back({object, name, identity, use});
  }
  ~FrameGuard() { expressions.frames.pop_back(); }
  FrameGuard(const FrameGuard&) = delete;
  FrameGuard& operator=(const FrameGuard&) = delete;
  /// A chain that would exhaust the stack is reported instead.
  bool tooDeep() const {
    if (expressions.frames.size() <= limit)
      return false;
    expressions.reportTooDeep(use, limit);
    return true;
  }
  static constexpr std::size_t limit = Budget::deepest;

private:
  ExpressionEvaluator& expressions;
  SourceRange use;
};

} // namespace dpl::sema

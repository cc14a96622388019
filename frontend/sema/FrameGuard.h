#pragma once
//===- FrameGuard.h - Marks a field or `let` as being evaluated -------------------------------===//
#include "frontend/sema/ExpressionEvaluator.h"
#include "llvm/Support/SaveAndRestore.h"

namespace dpl::sema {

/// Adds a frame to the chain of evaluations, in which cycles are found. Its destructor removes the
/// frame.
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
  /// Whether the chain is so deep that it would exhaust the stack. If so, this is reported.
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

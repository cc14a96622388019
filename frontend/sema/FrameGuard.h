#pragma once
//===- FrameGuard.h - Marks a field or `let` as being evaluated -------------------------------===//
#include "frontend/sema/ExpressionEvaluator.h"
#include "llvm/Support/SaveAndRestore.h"

namespace dpl::sema {

/// Adds a frame to the chain in which cycles are found, and removes it at the end.
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
  /// Reports a chain that would exhaust the stack.
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

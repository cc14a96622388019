#pragma once
//===- FrameGuard.h - One field or `let` that is being worked out -----------------------------===//
#include "frontend/sema/Evaluator.h"
#include "llvm/Support/SaveAndRestore.h"

namespace dpl::sema {

/// Enters the chain that circles are found in, and leaves it again.
class FrameGuard {
public:
  FrameGuard(Evaluator& evaluator, Object* object, llvm::StringRef name, const void* identity,
             SourceRange use)
      : evaluator(evaluator), use(use) {
    evaluator.frames.push_back({object, name, identity, use});
  }
  ~FrameGuard() { evaluator.frames.pop_back(); }
  FrameGuard(const FrameGuard&) = delete;
  FrameGuard& operator=(const FrameGuard&) = delete;
  /// A chain that would exhaust the stack is reported instead.
  bool tooDeep() const {
    if (evaluator.frames.size() <= limit)
      return false;
    evaluator.reportTooDeep(use, limit);
    return true;
  }
  static constexpr std::size_t limit = 256;

private:
  Evaluator& evaluator;
  SourceRange use;
};

} // namespace dpl::sema

#pragma once
//===- Result.h - Results of functions that can fail ------------------------------------------===//
#include <cassert>
#include <optional>
#include <utility>

namespace dpl {

/// Success or failure of a function. The reason for a failure is in the DiagnosticEngine.
class [[nodiscard]] LogicalResult {
public:
  static LogicalResult success() { return LogicalResult(true); }
  static LogicalResult failure() { return LogicalResult(false); }
  bool failed() const { return !ok; }
  bool succeeded() const { return ok; }

private:
  explicit LogicalResult(bool worked) : ok(worked) {}
  bool ok;
};

/// A value, or a failure whose diagnostic was reported.
template <class T> class [[nodiscard]] FailureOr {
public:
  FailureOr(LogicalResult r) {
    assert(r.failed() && "success needs a value");
    (void)r;
  }                                              // NOLINT
  FailureOr(T value) : held(std::move(value)) {} // NOLINT
  bool failed() const { return !held; }
  T& operator*() { return *held; }
  const T& operator*() const { return *held; }
  T* operator->() { return &*held; }
  const T* operator->() const { return &*held; }

private:
  std::optional<T> held;
};

} // namespace dpl

#pragma once
//===- Result.h - Did it work, and with what value --------------------------------------------===//
#include <cassert>
#include <optional>
#include <utility>

namespace dpl {

/// Whether a function worked. The reason for a failure has gone to the DiagnosticEngine.
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

/// A value, or the knowledge that a diagnostic was reported in its place.
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

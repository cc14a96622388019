#pragma once
//===- Arena.h - Memory for the nodes, strings and arrays of one compilation ------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <type_traits>
#include <utility>

namespace dpl {

/// Memory whose objects are freed only with the arena, so they must have trivial destructors.
/// Pointers to them stay valid until then.
class Arena {
public:
  template <class T, class... Args> T& make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    return *new (memory.Allocate<T>()) T{std::forward<Args>(args)...};
  }
  template <class T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> from) { return from.copy(memory); }
  llvm::StringRef copy(llvm::StringRef from) { return from.copy(memory); }
  std::size_t bytes() const { return memory.getBytesAllocated(); }

private:
  llvm::BumpPtrAllocator memory;
};

} // namespace dpl

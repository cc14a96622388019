//===- Allocations.cpp - Counts what a piece of code allocates --------------------------------===//
#include "tests/property/Allocations.h"
#include <cstdlib>
#include <new>

namespace {
thread_local std::uint64_t counted = 0;
} // namespace

std::uint64_t dpl::test::allocations() { return counted; }

// The other forms of `new` and `delete` call these.
void* operator new(std::size_t size) {
  ++counted;
  if (void* memory = std::malloc(size > 0 ? size : 1))
    return memory;
  std::abort();
}
// But this one: a sanitizer has its own.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#pragma once
//===- Allocations.h - Counts what a piece of code allocates ----------------------------------===//
#include <cstdint>

namespace dpl::test {
/// Allocations of this thread since it began, with `new` of every kind. Only in the binary that
/// links Allocations.cpp.
std::uint64_t allocations();
} // namespace dpl::test

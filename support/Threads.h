#pragma once
//===- Threads.h - One piece of work after the other, on several threads ----------------------===//
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace dpl {

/// Calls `run` with 0 … n−1 on so many threads, this one among them; 0 is all cores. Where the
/// system starts no more threads, fewer do the work. `worker`, below the number of threads, is the
/// same for what runs on one thread. Who writes what it finds where only its number writes does not
/// see the number of threads.
void onThreads(std::uint64_t n, unsigned threads,
               llvm::function_ref<void(unsigned worker, std::uint64_t i)> run);

} // namespace dpl

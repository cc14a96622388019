#pragma once
//===- Threads.h - Runs numbered tasks on several threads -------------------------------------===//
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace dpl {

/// Calls `run` with 0 … n−1 on `threads` threads, including the calling one; 0 means one thread per
/// core. If the system cannot start that many, fewer threads do the work. `worker` is the number of
/// the thread that runs a call, below the number of threads. Results do not depend on the number of
/// threads if each call writes only to places of its own number.
void onThreads(std::uint64_t n, unsigned threads,
               llvm::function_ref<void(unsigned worker, std::uint64_t i)> run);

} // namespace dpl

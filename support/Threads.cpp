//===- Threads.cpp - One piece of work after the other, on several threads --------------------===//
#include "support/Threads.h"
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

void dpl::onThreads(std::uint64_t n, unsigned threads,
                    llvm::function_ref<void(unsigned, std::uint64_t)> run) {
  if (threads == 0)
    threads = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::uint64_t> next{0};
  const auto work = [&](unsigned worker) {
    for (std::uint64_t i = next++; i < n; i = next++)
      run(worker, i);
  };
  std::vector<std::thread> others;
  for (unsigned worker = 1; worker < std::min<std::uint64_t>(threads, n); ++worker)
    others.emplace_back(work, worker);
  work(0);
  for (std::thread& thread : others)
    thread.join();
}

//===- Threads.cpp - Runs numbered tasks on several threads -----------------------------------===//
#include "support/Threads.h"
#include <algorithm>
#include <atomic>
#include <pthread.h>
#include <thread>
#include <vector>

namespace {
/// The state that all threads share, and the number of this thread.
struct Worker {
  llvm::function_ref<void(unsigned)> work;
  unsigned number;
};

/// The function that pthread_create calls. std::thread would throw if the system cannot start a
/// thread, and this program does not catch exceptions.
void* start(void* of) {
  const auto* worker = static_cast<const Worker*>(of);
  worker->work(worker->number);
  return nullptr;
}
} // namespace

void dpl::onThreads(std::uint64_t n, unsigned threads,
                    llvm::function_ref<void(unsigned, std::uint64_t)> run) {
  if (threads == 0)
    threads = std::max(1U, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, n));
  std::atomic<std::uint64_t> next{0};
  const auto work = [&](unsigned worker) {
    for (std::uint64_t i = next++; i < n; i = next++)
      run(worker, i);
  };
  std::vector<Worker> workers;
  for (unsigned worker = 1; worker < threads; ++worker)
    workers.push_back({work, worker});
  std::vector<pthread_t> others;
  for (Worker& worker : workers) {
    pthread_t thread{};
    // The threads that were started do the rest of the work.
    if (pthread_create(&thread, nullptr, start, &worker) != 0)
      break;
    others.push_back(thread);
  }
  work(0);
  for (const pthread_t thread : others)
    pthread_join(thread, nullptr);
}

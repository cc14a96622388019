#pragma once
//===- Loaders.h - Data loaders that prefetch the samples of steps ----------------------------===//
#include "simulate/engine/Flows.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>

namespace dpl::simulate {

struct LoaderShape {
  std::uint32_t loaders = 1;
  std::uint64_t depth = 1; ///< number of steps whose samples a loader can have ready
  double work = 0;         ///< work of reading one step's samples from the shared storage, per
                           ///< loader
  double storage = 0;      ///< work per ps that the storage does for all loaders; 0 if nothing is
                           ///< read
};

/// Data loaders, which prepare the samples of successive steps in advance. The samples of a step
/// are ready when they are both prepared and read. A loader begins the next step when its queue has
/// room. Concurrent reads share the storage evenly.
class Loaders {
public:
  /// The time in ps that a loader needs to prepare the samples of a step.
  using Prepares = std::function<std::uint64_t(std::uint32_t loader, std::uint32_t step)>;
  Loaders(const LoaderShape& shape, Prepares prepares);
  Loaders(const Loaders&) = delete; // the flows refer to the queue
  Loaders& operator=(const Loaders&) = delete;

  /// The times at which the loaders deliver the samples of the next step, which training requests
  /// at `begin`. Steps are delivered in order.
  llvm::ArrayRef<std::uint64_t> next(std::uint64_t begin);

private:
  struct LoaderState {
    std::uint32_t begun = 0; ///< number of steps begun
    std::uint64_t ready = 0; ///< number of steps that are ready and not delivered
    std::uint32_t open = 0;  ///< unfinished parts of the current step: preparing and reading
    bool requested = false;
  };
  void load(std::uint32_t loader);
  void ended(std::uint32_t loader);
  void give(std::uint32_t loader);

  LoaderShape shape;
  Prepares prepares;
  EventQueue queue;
  Flows flows;
  std::vector<LoaderState> all;
  std::vector<std::uint64_t> taken;
  std::uint64_t now = 0;
  std::uint32_t unfinished = 0; ///< loaders that have not delivered the requested step
};

} // namespace dpl::simulate

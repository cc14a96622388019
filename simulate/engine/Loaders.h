#pragma once
//===- Loaders.h - Who has the samples of a step ready, and when ------------------------------===//
#include "simulate/engine/Flows.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>

namespace dpl::simulate {

struct LoaderShape {
  std::uint32_t loaders = 1;
  std::uint64_t depth = 1; ///< steps whose samples one may have ready
  double work = 0;         ///< that one reads for a step, of the storage that all share
  double storage = 0;      ///< work a ps that it gives to all together; 0: nothing is read
};

/// Loaders that prepare the samples of one step after the other, ahead of who takes them. Those of
/// a step are ready when they are prepared and read. Each begins those of its next step when it has
/// room; reads at one time share the storage evenly.
class Loaders {
public:
  /// ps that a loader prepares the samples of a step for.
  using Prepares = std::function<std::uint64_t(std::uint32_t loader, std::uint32_t step)>;
  Loaders(const LoaderShape& shape, Prepares prepares);
  Loaders(const Loaders&) = delete; // its flows hold its queue
  Loaders& operator=(const Loaders&) = delete;

  /// When each gives away the samples of the next step, which are asked for at `begin`: not before
  /// those of the step before were taken.
  llvm::ArrayRef<std::uint64_t> next(std::uint64_t begin);

private:
  struct LoaderState {
    std::uint32_t begun = 0; ///< steps
    std::uint64_t ready = 0; ///< steps that nobody has taken
    std::uint32_t open = 0;  ///< of preparing and reading, what has not ended
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
  std::uint32_t unfinished = 0; ///< that have not given the step away
};

} // namespace dpl::simulate

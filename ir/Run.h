#pragma once
//===- Run.h - Duration and settings of the training of a layout ------------------------------===//
#include "ir/Layout.h"
#include "ir/Problem.h"
#include <optional>

namespace dpl::ir {

enum class CheckpointMode : std::uint8_t { Blocking, Async, Peers, Tiers, Incremental };

/// Storage of checkpoints in mode Tiers in addition to shared storage. `node` and `peers`: ps that
/// training waits for a copy. `everyPeers` and `everyStorage`: number of checkpoints after which a
/// copy goes to peers or to storage.
struct CheckpointTiers {
  std::uint64_t node = 0, peers = 0;
  std::uint64_t everyPeers = 1, everyStorage = 1;
  template <class V> void fields(V& v) {
    v("node", node), v("peers", peers), v("every_peers", everyPeers);
    v("every_storage", everyStorage);
  }
};

/// For Incremental: the share of the bytes that changes between two checkpoints, and every how many
/// checkpoints all bytes are written.
struct IncrementalCheckpoints {
  double share = 1;
  std::uint64_t everyFull = 1;
  template <class V> void fields(V& v) { v("share", share), v("every_full", everyFull); }
};

struct CheckpointRequest {
  std::uint64_t every = 0; ///< steps between checkpoints; 0 if not set
  std::uint64_t keep = 1;
  CheckpointMode mode = CheckpointMode::Blocking;
  std::uint64_t snapshot = 0; ///< ps that training waits per checkpoint, except in Blocking mode
  AtMostOne<CheckpointTiers> tiers; ///< for Tiers
  AtMostOne<IncrementalCheckpoints> incremental = {};
  template <class V> void fields(V& v) {
    v("interval", every), v("keep", keep), v("mode", mode), v("snapshot", snapshot);
    v("multi_level", tiers), v("incremental", incremental);
  }
};

/// A phase of the run that uses this layout.
struct RunPhase {
  std::uint64_t index = 0;
  std::uint64_t tokens = 0; ///< tokens of the phase; 0 if it sets steps and its model has samples
  std::uint64_t steps = 0;
  std::uint64_t batch = 0; ///< batch of the phase, by default that of the layout
  /// Steps of the run up to the end of the phase; 0 if unknown, because an earlier phase counts its
  /// batch in sequences of another layout.
  std::uint64_t lastStep = 0;
  /// ps of one step if it differs from the layout's: with another batch or period (check-runs), or
  /// of data ranks that a study simulates; 0 if unknown.
  std::uint64_t step = 0;
  /// The problem of a phase that lasts until a goal is reached. Only a study finds its steps, so
  /// `steps` is 0.
  AtMostOne<Problem> problem = {};
  /// The values of a phase without steps, whose storage and sums a study examines.
  AtMostOne<Numbers> numbers = {};
  /// Steps between two averages, where the data ranks take local steps; none: that of the layout.
  std::optional<std::uint64_t> period = {};
  template <class V> void fields(V& v) {
    v("index", index), v("tokens", tokens), v("steps", steps), v("batch", batch);
    v("last_step", lastStep), v("step", step), v("problem", problem), v("numbers", numbers);
    v("period", period);
  }
};

/// A `run` block that uses the plan's layout. It changes only figures of runs, and is not part of
/// the plan's hash.
struct Run {
  std::string name; ///< name of the block
  std::vector<RunPhase> phases;
  /// The layout's settings, overridden by those of the run.
  OptimizerSettings optimizer;
  CheckpointRequest checkpoint;
  std::optional<double> budget; ///< dollars
  std::uint64_t spares = 0;     ///< spare nodes
  std::uint64_t least = 0;      ///< least nodes to continue with; 0: all

  /// The problem of its only phase; null if its phases have lengths.
  const Problem* problem() const {
    return phases.size() == 1 && !phases.front().problem.empty() ? &phases.front().problem.front()
                                                                 : nullptr;
  }
  /// The numbers of its only phase; null if it has none.
  const Numbers* numbers() const {
    return phases.size() == 1 && !phases.front().numbers.empty() ? &phases.front().numbers.front()
                                                                 : nullptr;
  }
  /// The step of the run at which a job with this batch is done: the end of its phases with this
  /// batch if they are consecutive; 0 if unknown.
  std::uint64_t lastStep(std::uint64_t batch) const;

  template <class V> void fields(V& v) {
    v("name", name), v("phase", phases), v("optimizer", optimizer), v("checkpoint", checkpoint);
    v("budget", budget), v("spare_nodes", spares), v("min_nodes", least);
  }
};

} // namespace dpl::ir

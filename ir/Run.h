#pragma once
//===- Run.h - How long and with what a layout is trained -------------------------------------===//
#include "ir/Layout.h"
#include <optional>

namespace dpl::ir {

enum class CheckpointMode : std::uint8_t { Blocking, Async, Peers, Tiers };

/// Where checkpoints of mode Tiers are kept besides storage; ps that training waits for a copy, and
/// which of them, from every n-th on, go there.
struct CheckpointTiers {
  std::uint64_t node = 0, peers = 0;
  std::uint64_t everyPeers = 1, everyStorage = 1;
  template <class V> void fields(V& v) {
    v("node", node), v("peers", peers), v("every_peers", everyPeers);
    v("every_storage", everyStorage);
  }
};

struct CheckpointRequest {
  std::uint64_t every = 0; ///< steps; 0 is not given
  std::uint64_t keep = 1;
  CheckpointMode mode = CheckpointMode::Blocking;
  std::uint64_t snapshot = 0;       ///< ps that training waits for, but in Blocking mode
  AtMostOne<CheckpointTiers> tiers; ///< of Tiers
  template <class V> void fields(V& v) {
    v("interval", every), v("keep", keep), v("mode", mode), v("snapshot", snapshot);
    v("multi_level", tiers);
  }
};

/// A phase of the run that uses this layout.
struct RunPhase {
  std::uint64_t index = 0;
  std::uint64_t tokens = 0; ///< 0 where the phase states its steps and its model is fed samples
  std::uint64_t steps = 0;
  std::uint64_t batch = 0; ///< as Layout::batch; that of the layout where the phase gives none
  /// Steps of the run up to its end; 0 where those of a phase before it are not known, because it
  /// counts its batch in sequences of another layout.
  std::uint64_t lastStep = 0;
  /// Of one step with this batch, ps, where the layout has another (check-runs); 0: not known.
  std::uint64_t step = 0;
  template <class V> void fields(V& v) {
    v("index", index), v("tokens", tokens), v("steps", steps), v("batch", batch);
    v("last_step", lastStep), v("step", step);
  }
};

/// A `run` block that uses the plan's layout. It changes no figure of the plan but those of runs,
/// and no part of it is in the plan's hash.
struct Run {
  std::string name; ///< of the block
  std::vector<RunPhase> phases;
  /// The layout's settings with those that the run sets in their place.
  OptimizerSettings optimizer;
  CheckpointRequest checkpoint;
  std::optional<double> budget; ///< dollars
  std::uint64_t spares = 0;     ///< nodes that stand by
  std::uint64_t least = 0;      ///< nodes with which it goes on; 0: all

  /// The step of the run at which a job with this batch has done its part: the end of its phases
  /// with the batch, when they stand together; 0 where that is not known.
  std::uint64_t lastStep(std::uint64_t batch) const;

  template <class V> void fields(V& v) {
    v("name", name), v("phase", phases), v("optimizer", optimizer), v("checkpoint", checkpoint);
    v("budget", budget), v("spare_nodes", spares), v("min_nodes", least);
  }
};

} // namespace dpl::ir

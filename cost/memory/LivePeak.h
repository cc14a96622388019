#pragma once
//===- LivePeak.h - The peak memory of in-flight micro-batches --------------------------------===//
#include "cost/schedules/Schedule.h"
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// Bytes of each chunk of a rank, by chunk.
struct ChunkBytes {
  llvm::SmallVector<std::uint64_t, 16> saved;     ///< saved activations of one micro-batch
  llvm::SmallVector<std::uint64_t, 16> temporary; ///< temporary memory of an action of the chunk
  /// Gradients summed over micro-batches; empty if there are none.
  llvm::SmallVector<std::uint64_t, 16> gradients;
  /// Recomputed tensors that outlive the action that recomputes them; empty if there are none.
  llvm::SmallVector<std::uint64_t, 16> restored;
  /// Temporary memory of all actions but whole backward passes; empty if equal to `temporary`.
  llvm::SmallVector<std::uint64_t, 16> splitTemporary;
  /// Temporary memory of a forward pass merged with a backward pass; empty if none are merged.
  llvm::SmallVector<std::uint64_t, 2> mergedPairs;
  std::uint64_t temporaryIn(const ir::ScheduledAction& op) const;
  void add(std::uint64_t keeps, std::uint64_t works) {
    saved.push_back(keeps), temporary.push_back(works);
  }
};

/// The largest sum of bytes over the actions of a rank. Saved activations count from the forward
/// pass to the last backward pass, which is the weight gradient of a split backward pass.
/// Recomputed tensors count from the start of the recomputation or input gradient to the same end.
/// Summed gradients count from the end of the chunk's first backward pass to the end of its last
/// one.
struct LivePeak {
  std::uint64_t bytes = 0;
  std::uint64_t gradients = 0;              ///< summed gradients, part of `bytes`
  std::uint64_t restored = 0;               ///< recomputed tensors, part of `bytes`
  std::size_t action = 0;                   ///< index into the rank's schedule; 0 from LivePeaks
  llvm::SmallVector<std::uint64_t, 8> live; ///< in-flight micro-batches of each chunk at the peak
  std::uint64_t microBatches = 0;           ///< in-flight micro-batches of all chunks
};

/// The counts that a state of a rank includes in addition to in-flight micro-batches.
struct LiveExtras {
  bool gradients = false;   ///< whether summed gradients exist
  bool restored = false;    ///< micro-batches whose recomputed tensors exist
  bool inHalves = false;    ///< whether a whole backward pass runs (ChunkBytes::splitTemporary)
  bool mergedPairs = false; ///< whether the forward pass of a pair runs (ChunkBytes::mergedPairs)
};

/// The states of a rank that can be its peak for any ChunkBytes: those that no other state covers.
/// A state covers another one if none of its counts is smaller.
class LivePeaks {
public:
  LivePeaks(llvm::ArrayRef<ir::ScheduledAction> actions, std::uint64_t chunks,
            const LiveExtras& overlap);
  LivePeak of(const ChunkBytes& bytes) const;
  /// The largest count of each chunk in any state: in-flight micro-batches, and those whose
  /// recomputed tensors exist.
  struct ChunkMaxima {
    llvm::SmallVector<std::uint64_t, 16> live, restored;
  };
  ChunkMaxima most() const;

private:
  /// The counts of a state, two per word: in-flight micro-batches of each chunk, 1 for each chunk
  /// whose summed gradients exist, and micro-batches whose recomputed tensors exist.
  using StateWords = llvm::SmallVector<std::uint64_t, 16>;
  /// The states in which an action of one chunk runs.
  struct RunningStates {
    StateWords states;
    std::size_t last = 0; ///< word of the state that last covered a new state or was added
    bool back = false;    ///< the last search moved to the previous state
  };
  struct StateChange;
  /// `changes` are sorted by chunk and kind.
  template <bool oneWord>
  void run(llvm::ArrayRef<ir::ScheduledAction> actions, llvm::ArrayRef<StateChange> changes,
           bool gradients);
  /// Whether the last state or one of its neighbours covers `now`.
  template <bool oneWord> bool followed(RunningStates& of, const std::uint64_t* now) const;
  /// Adds a state unless another one covers it, and removes the states that it covers.
  template <bool oneWord> void add(RunningStates& to, const std::uint64_t* now) const;
  template <bool oneWord> bool covers(const std::uint64_t* a, const std::uint64_t* b) const;

  std::uint64_t chunks;
  bool inHalves; ///< whole backward passes have other temporary memory than other actions
  /// Indices in a state of the first count of summed gradients and of the first count of recomputed
  /// tensors; equal to the index after the previous counts if there are no such counts.
  std::uint64_t gradientsAt, restoredAt;
  std::uint64_t width; ///< counts in a state: one, two or three per chunk
  std::size_t words;   ///< words in a state
  /// Actions of a chunk are grouped by their temporary memory, because each group has its own peak:
  /// whole backward passes, all other actions if `inHalves`, and forward passes of merged pairs.
  /// Each entry has the states of one chunk and group.
  std::vector<RunningStates> running;
};

/// Returns the states of each rank of a pipeline. `gradients`: whether gradients are summed
/// unsharded.
std::vector<LivePeaks> peaksOf(const PipelineShape& shape, const PerRankSchedules& schedules,
                               bool gradients, const ir::Recompute& recompute);

/// Bytes of the chunks of a rank while an action runs (`during`) and after it (`after`).
struct LiveBytes {
  std::size_t action = 0; ///< index into the rank's schedule
  std::uint64_t during = 0, after = 0;
  /// Parts of `during`: saved activations, summed gradients, recomputed tensors.
  std::uint64_t saved = 0, gradients = 0, restored = 0;
  std::uint64_t savedAfter = 0, gradientsAfter = 0, restoredAfter = 0;
  llvm::ArrayRef<std::uint64_t> live; ///< in-flight micro-batches of each chunk during the action
};
/// Visits the actions of a per-rank schedule in order.
void visitLive(llvm::ArrayRef<ir::ScheduledAction> actions, const ChunkBytes& bytes,
               llvm::function_ref<void(const LiveBytes&)> visit);
LivePeak livePeak(llvm::ArrayRef<ir::ScheduledAction> actions, const ChunkBytes& bytes);

} // namespace dpl::cost

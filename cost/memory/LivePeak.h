#pragma once
//===- LivePeak.h - What live micro-batches hold at most --------------------------------------===//
#include "cost/schedules/Schedule.h"
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// What each chunk of a rank holds, by chunk.
struct ChunkBytes {
  llvm::SmallVector<std::uint64_t, 16> saved;     ///< of one micro-batch
  llvm::SmallVector<std::uint64_t, 16> temporary; ///< while a pass of the chunk runs
  llvm::SmallVector<std::uint64_t, 16> gradients; ///< summed over micro-batches; empty: none are
  /// Brought back by a recomputation for longer than the pass that does it; empty: nothing is.
  llvm::SmallVector<std::uint64_t, 16> restored;
  llvm::SmallVector<std::uint64_t, 16>
      splitTemporary; ///< of all but a whole backward; empty: `working`
  /// While a forward of the chunk runs merged with a backward of the other; empty: none does.
  llvm::SmallVector<std::uint64_t, 2> mergedPairs;
  std::uint64_t temporaryIn(const ir::ScheduledAction& op) const;
  void add(std::uint64_t keeps, std::uint64_t works) {
    saved.push_back(keeps), temporary.push_back(works);
  }
};

/// The largest sum over a rank's list of what its live chunks hold: a chunk's bytes count from its
/// forward to its last backward, the weight gradient's where the two are apart; what a
/// recomputation brings back in advance, or in the first half of a backward, from the begin of that
/// operation to there; summed gradients from the end of the first backward pass of the chunk to
/// that of its last.
struct LivePeak {
  std::uint64_t bytes = 0;
  std::uint64_t gradients = 0;              ///< of them summed ones
  std::uint64_t restored = 0;               ///< of them brought back by recomputations
  std::size_t action = 0;                   ///< index into the rank's list; of LivePeaks 0
  llvm::SmallVector<std::uint64_t, 8> live; ///< micro-batches of each chunk at the peak
  std::uint64_t microBatches = 0;           ///< of all chunks
};

/// What is part of a state of a rank's list besides its live micro-batches.
struct LiveExtras {
  bool gradients = false;   ///< whether summed ones are there
  bool restored = false;    ///< of how many micro-batches what was dropped is back
  bool inHalves = false;    ///< whether the pass is a whole backward (ChunkBytes::splitTemporary)
  bool mergedPairs = false; ///< whether the pass is the forward of a pair (ChunkBytes::mergedPairs)
};

/// The states of a rank's list that can be its peak, whatever its chunks hold: those that no other
/// has as much of everything as.
class LivePeaks {
public:
  LivePeaks(llvm::ArrayRef<ir::ScheduledAction> actions, std::uint64_t chunks,
            const LiveExtras& overlap);
  LivePeak of(const ChunkBytes& bytes) const;
  /// The most of one chunk in any state, by chunk: micro-batches that are live, and that are back.
  struct ChunkMaxima {
    llvm::SmallVector<std::uint64_t, 16> live, restored;
  };
  ChunkMaxima most() const;

private:
  /// The counts of a state, two in a word: the live micro-batches of each chunk, 1 for each whose
  /// gradients are there, and the micro-batches whose dropped activations are back.
  using StateWords = llvm::SmallVector<std::uint64_t, 16>;
  /// The states while a pass of a chunk runs.
  struct RunningStates {
    StateWords states;
    std::size_t last = 0; ///< the word of the state that covered the one before, or was added
    bool back = false;    ///< that lies before the one before it
  };
  struct StateChange;
  /// `changes` by chunk and kind.
  template <bool oneWord>
  void run(llvm::ArrayRef<ir::ScheduledAction> actions, llvm::ArrayRef<StateChange> changes,
           bool gradients);
  /// Whether a state is covered by the last, or by one beside it.
  template <bool oneWord> bool followed(RunningStates& of, const std::uint64_t* now) const;
  /// Adds a state unless one covers it, has as much of everything, and drops those that it covers.
  template <bool oneWord> void add(RunningStates& to, const std::uint64_t* now) const;
  template <bool oneWord> bool covers(const std::uint64_t* a, const std::uint64_t* b) const;

  std::uint64_t chunks;
  bool inHalves;                         ///< others differ from whole backwards
  std::uint64_t gradientsAt, restoredAt; ///< in a state; its width where there are none
  std::uint64_t width;                   ///< of a state: the chunks once, twice or three times
  std::size_t words;                     ///< of a state
  /// By chunk whose pass runs, for each kind of pass that may work with other bytes: whole
  /// backwards, where others differ from them those, and the forwards of pairs.
  std::vector<RunningStates> running;
};

/// Of the ranks of a shape with these lists; `gradients`: whether they are summed whole.
std::vector<LivePeaks> peaksOf(const PipelineShape& shape, const PerRankSchedules& schedules,
                               bool gradients, const ir::Recompute& recompute);

/// What the live chunks of a rank hold while a pass runs, and when it has ended.
struct LiveBytes {
  std::size_t action = 0; ///< index into the rank's list
  std::uint64_t during = 0, after = 0;
  /// Of `during`: of micro-batches, summed over them, brought back by recomputations.
  std::uint64_t saved = 0, gradients = 0, restored = 0;
  std::uint64_t savedAfter = 0, gradientsAfter = 0, restoredAfter = 0;
  llvm::ArrayRef<std::uint64_t> live; ///< micro-batches of each chunk while it runs
};
/// Visits the passes of a list in its order.
void visitLive(llvm::ArrayRef<ir::ScheduledAction> actions, const ChunkBytes& bytes,
               llvm::function_ref<void(const LiveBytes&)> visit);
LivePeak livePeak(llvm::ArrayRef<ir::ScheduledAction> actions, const ChunkBytes& bytes);

} // namespace dpl::cost

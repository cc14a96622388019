#pragma once
//===- StepRun.h - One step of all ranks --------------------------------------------------===//
//
// Every unit runs the bodies of its list segment by segment; messages are flows over the links
// between neighbours, and collectives begin when the last who takes part has arrived. Nothing here
// reads a time of the plan's schedule but what the update takes.
#include "cost/programs/ProgramTime.h"
#include "simulate/engine/Flows.h"
#include "simulate/plan/CollectiveDelays.h"
#include "simulate/plan/LayerTimeDraws.h"
#include "simulate/plan/StepNetwork.h"
#include "simulate/plan/StepRouting.h"
#include "simulate/plan/StepWaits.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace dpl::simulation {

/// ps that a unit was busy and waited, in one step.
struct SimulatedRankTimes {
  std::uint64_t compute = 0;
  std::uint64_t collectives = 0; ///< of computation that waited for collectives
  std::uint64_t peerWait = 0;    ///< of the calls that held it up, until the last had arrived
  std::uint64_t inputWait = 0;   ///< for messages
  std::uint64_t loading = 0;     ///< for samples
  std::uint64_t sending = 0;     ///< for what it sent
  std::uint64_t barrier = 0;     ///< for the slowest, before the update
};

/// What varies in a step; nothing of what is empty.
struct StepDraws {
  llvm::ArrayRef<double> factors = {}; ///< of the computation of each unit
  /// Experts are sent what it says of the step that it began.
  StepRouting* routed = nullptr;
  const LayerTimeDraws* layerTimes = nullptr;
  llvm::ArrayRef<std::uint64_t> loaded = {}; ///< ps until a unit has its samples
  CollectiveDelays* delays = nullptr;        ///< of messages
  LinkRates* rates = nullptr;                ///< of links, where messages are run
};

/// What is left out of a step, to see what it costs.
struct Ablation {
  bool bubble = false;    ///< what a pass needs of its neighbours is there at once
  bool sharing = false;   ///< messages have their links to themselves
  bool imbalance = false; ///< pipeline ranks compute as long as they do on average
};

class StepRun {
public:
  /// With a network every collective and message of the pipeline is run as the messages that it is
  /// made of.
  explicit StepRun(const StepShape& shape, const Ablation& without = {},
                   const StepNetwork* network = nullptr, const Sharing& sharing = {});
  StepRun(const StepRun&) = delete; // its flows hold its queue
  StepRun& operator=(const StepRun&) = delete;

  /// ps of a step.
  std::uint64_t run(const StepDraws& draws);

  /// Notes who waits for whom in the runs that follow; nobody does where it is null.
  void note(StepWaits* in);

  // Of the last run.
  llvm::ArrayRef<SimulatedRankTimes> times() const { return spent; }
  /// The unit that came to the barrier last, or ended last where there is none.
  std::uint32_t last() const { return latest; }
  struct StepEnd {
    std::uint32_t rank;
    std::uint64_t samples;     ///< ps that it waits for them before the step's begin
    std::uint64_t begin, time; ///< ps, of the step
  };
  /// Who was through with all last, of several at once whoever came to the barrier last; where
  /// there is none whoever took longest.
  StepEnd end() const;
  /// When a unit was through with its list, ps.
  std::uint64_t through(std::uint32_t unit) const { return all[unit].clock; }
  /// Messages that began while their link carried another one.
  std::uint64_t sharedMessages() const { return flows.shared() - sharedBefore; }
  /// Null without a network.
  StepMessages* messagesOfAll() { return traffic.get(); }

private:
  static constexpr std::uint64_t never = UINT64_MAX;
  static constexpr std::size_t streams = 5, data = static_cast<std::size_t>(ir::Stream::Data);

  /// Who set something off, and when; known where waits are noted.
  struct WaitOrigin {
    std::uint32_t rank = 0;
    std::uint64_t at = 0;
  };
  /// A collective that a unit has called and whose end it does not know.
  struct PendingCollective {
    std::uint32_t rendezvous = StepShape::alone;
    std::uint32_t number = 0; ///< of the calls of the stream
    std::uint64_t ready = 0;  ///< what it needs is there, besides the stream
    std::uint64_t time = 0;
    const ir::Collective* what = nullptr;
    std::uint64_t times = 1;  ///< one behind the other
    std::uint64_t issued = 0; ///< by computation
  };
  struct StreamState {
    std::uint64_t free = 0;    ///< when its last known call has ended
    std::uint64_t busy = 0;    ///< with the calls that have ended
    std::uint32_t issued = 0;  ///< in this step
    std::uint64_t arrived = 0; ///< of the first of `open` at its meeting
    std::uint64_t late = 0;    ///< that it is because of others, besides what was waited for
    WaitOrigin cause;  ///< of `arrived`: who called, or set off what the stream was busy with
    WaitOrigin origin; ///< of the last that has begun
    llvm::SmallVector<PendingCollective, 2> open;
  };
  /// The newest call of a collective in a block.
  struct IssuedCollective {
    std::uint64_t key = 0; ///< by Segment::collectiveKey
    std::uint32_t number = 0;
    std::uint8_t stream = 0;
    std::uint64_t begin = never, end = never;
    std::uint64_t peerWait = 0; ///< that it begins later because of others
    WaitOrigin origin;
  };
  /// What wakes a unit that waits.
  enum class WakeReason : std::uint8_t { None, Input, Collective, Sends, Barrier };
  struct SimulatedRank {
    std::uint64_t clock = 0, outputsLeft = 0; ///< of computation; when its last outputs left
    std::uint64_t begin = never;              ///< of its first pass
    std::uint64_t began = 0;                  ///< of the pass that runs
    cost::PendingSlowdown slowdown;
    const ir::StageProgram* program = nullptr; ///< that it runs, as far as it has come
    std::size_t action = 0, block = 0, segment = 0;
    std::uint64_t iteration = 0;
    cost::FirstLast firstLast;   ///< of the pass that runs
    cost::ActionCosts costs;     ///< of its micro-batches
    bool paired = false;         ///< the pass that runs is the second of a pair
    bool issuedEpilogue = false; ///< a collective behind the passes
    bool passed = false;         ///< the barrier
    bool woken = false;          ///< by the last who arrived
    WaitOrigin waker;            ///< that one
    WakeReason wait = WakeReason::None;
    std::uint32_t sends = 0;                  ///< that it waits for
    std::uint64_t holding = never, holds = 0; ///< call whose begin holds it up, and how long
    bool holdsAll = false;                    ///< until it has ended
    std::array<StreamState, streams> stream;
    llvm::SmallVector<IssuedCollective, 8> issued;
    double factor = 1;
    std::array<double, 2> drawn{1, 1};     ///< of the layer that runs, whose times vary
    std::array<std::uint32_t, 2> layers{}; ///< of those that the pass has run; a merged backward
    std::uint64_t loaded = 0;              ///< when its samples are there
  };
  struct Rendezvous {
    std::uint64_t ready = 0; ///< when the last so far arrived
    llvm::SmallVector<std::uint32_t, 0> arrived;
  };
  struct PipelineSend {
    std::uint32_t to = 0, slot = 0, from = 0, link = 0;
    std::uint64_t time = 0;
    bool awaited = false;
    const ir::Collective* what = nullptr;
    std::uint64_t sentAt = 0; ///< when its sender had it
  };
  /// What a body does under a turn: where all of its calls are of the unit alone, and wait for what
  /// it has computed, it takes as long again in each pass that finds the same.
  struct ProgramReach {
    std::array<bool, 3> meets{}, has{}; ///< by When: segments that call others or run ahead; any
    std::array<bool, streams> uses{};   ///< streams of its calls
  };
  /// One pass of such a body; times are from its begin on.
  struct RecordedAction {
    const ir::StageProgram* program = nullptr;
    std::array<bool, 2> firstLast{}; ///< first and last, as far as its segments ask
    ir::CostRatio costs;
    std::array<std::uint64_t, streams>
        ahead{}; ///< that a stream is busy with what was called before
    std::uint64_t clock = 0, outputsLeft = 0, compute = 0, collectives = 0;
    std::array<std::uint64_t, streams> free{}, busy{};
    std::array<std::uint32_t, streams> issued{};
  };
  /// What a pass of a chunk needs and makes.
  struct ChunkPort {
    bool has = false, remote = false;
    std::uint32_t rank = 0, slot = 0; ///< pipeline rank, and slot of micro-batch 0 there
    std::uint32_t link = 0;           ///< 0 towards the next rank, 1 towards the one before
    std::uint64_t time = 0;
    const ir::Collective* what = nullptr; ///< the message that leaves
  };
  struct SimulatedChunk {
    std::array<ChunkPort, 2> input, output;            ///< forward, backward
    std::array<const ir::StageProgram*, 6> programs{}; ///< by kind of pass
    std::array<ProgramReach, 6> reach{};
    llvm::ArrayRef<ir::Collective> collectives;
  };

  class RankAtEvents;
  void makeChunks();
  ProgramReach reachOf(const ir::StageProgram& program,
                       llvm::ArrayRef<ir::Collective> collectives) const;
  std::optional<RecordedAction> replayOf(std::uint32_t unit) const;
  void replayAction(std::uint32_t unit, const RecordedAction& pass);
  void runAndKeep(std::uint32_t unit, RecordedAction pass);
  void begin();
  void runReady();
  // Each goes on as far as it can; false where the unit has to wait.
  void advance(std::uint32_t unit);
  bool beginAction(std::uint32_t unit);
  bool runProgram(std::uint32_t unit);
  bool runSegments(std::uint32_t unit);
  bool endAction(std::uint32_t unit);
  bool runNext(std::uint32_t unit, const ir::Segment& s);
  bool runEpilogue(std::uint32_t unit, const ir::ScheduledAction& op, std::uint64_t duration);
  bool crossBarrier(std::uint32_t unit);

  const ChunkPort* inputOf(std::uint32_t unit, const ir::ScheduledAction& op) const;
  void enterProgram(std::uint32_t unit);
  void send(std::uint32_t unit, const ir::ScheduledAction& op);
  void arrived(const PipelineSend& message, std::uint64_t at);
  void deliver(std::uint32_t number);
  void issue(std::uint32_t unit, std::size_t stream, const PendingCollective& open);
  void arrive(std::uint32_t unit, std::size_t stream);
  void hasBegun(std::uint32_t unit, std::size_t stream, std::uint64_t begin,
                const WaitOrigin& origin);
  WaitOrigin lastOf(llvm::ArrayRef<std::uint32_t> units, std::size_t stream) const;
  WaitOrigin wakerOf(llvm::ArrayRef<std::uint32_t> units, std::size_t stream) const;
  void noteWait(std::uint32_t unit, std::uint64_t from, std::uint64_t until,
                const WaitOrigin& origin, WaitFor what) {
    if (noted)
      noted->add(unit, {until, origin.at, origin.rank, what, from});
  }
  void hasEnded(std::uint32_t unit, std::size_t stream, std::uint64_t end);
  void runRendezvous(std::uint32_t meeting);
  void runMessages(std::uint32_t meeting);
  void runAlone(std::uint32_t unit, std::size_t stream);
  void ended(std::uint64_t ticket, std::uint64_t at);
  std::uint32_t deviceOf(std::uint32_t unit) const;
  void wake(std::uint32_t unit);
  void wakeIssuer(std::uint32_t unit, const WaitOrigin& waker);
  static IssuedCollective* find(SimulatedRank& u, std::uint64_t called);
  void waitUntil(std::uint32_t unit, std::uint64_t time, std::uint64_t peers, WaitOrigin origin);
  static void paid(SimulatedRank& u, std::uint64_t peers);
  void compute(std::uint32_t unit, std::uint64_t time);
  std::uint64_t scaled(const SimulatedRank& u, std::uint64_t time) const;
  std::uint64_t ofLayer(std::uint32_t unit, const ir::Segment& s, std::uint64_t time);
  const SimulatedChunk& chunkOf(std::uint32_t unit, const ir::ScheduledAction& op) const {
    return chunks[shape.pipelineRankOf(unit) * plan.placement.chunks + op.chunk];
  }

  static constexpr std::size_t mostReplays = 8; ///< of a unit
  static constexpr std::uint64_t delivered = std::uint64_t{1}
                                             << 32; ///< of events: ends, not begins
  /// Of tickets: a meeting, a stream of a unit that meets nobody; else a message of the pipeline.
  static constexpr std::uint64_t atRendezvous = std::uint64_t{1} << 33,
                                 ofRank = std::uint64_t{1} << 34,
                                 numbers = (std::uint64_t{1} << 32) - 1;

  const StepShape& shape;
  const ir::Plan& plan;
  const Ablation without;
  const ir::MicroBatchCosts costs;
  std::uint64_t runs = 1;  ///< of each chunk
  std::uint32_t slots = 0; ///< of a unit
  std::vector<SimulatedChunk> chunks;
  simulate::EventQueue queue;
  simulate::Flows flows;
  const StepNetwork* network;
  std::unique_ptr<StepMessages> traffic;
  StepDraws drawn; ///< of the step that runs
  std::uint64_t now = 0, sharedBefore = 0;
  std::vector<SimulatedRank> all;
  std::vector<SimulatedRankTimes> spent;
  std::vector<std::uint64_t> arrival;
  StepWaits* noted = nullptr;
  std::vector<WaitOrigin> origins;                     ///< of what arrived, where waits are noted
  std::vector<ir::FirstLastTracker> firstLastTrackers; ///< by unit and chunk
  std::vector<std::vector<RecordedAction>> replays;    ///< by unit, of this step
  std::vector<Rendezvous> rendezvous;
  std::vector<PipelineSend> messages;
  std::vector<std::uint32_t> unused, ready;
  std::uint32_t atBarrier = 0, latest = 0;
  std::uint64_t barrier = 0; ///< when the last so far arrived
};

} // namespace dpl::simulation

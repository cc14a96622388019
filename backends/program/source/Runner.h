//===- Runner.h - Executes the operations of one rank -----------------------------------------===//
#pragma once
#include "Links.h"
#include "Options.h"
#include "Times.h"
#include <chrono>
#include <string>

namespace twin {

/// Executes the operations of this rank in the order of its per-rank schedule. Sends are
/// asynchronous; every other operation ends before the next begins. Computation is a sleep, so that
/// a laptop can run many ranks.
class Runner {
public:
  Runner(const Plan& plan, Transport& transport, const Options& options);

  enum class Mode { Check, WarmUp, Time };
  void step(Mode mode);

  /// Waits until all ranks have reached this point.
  void meet(const char* before);
  std::uint64_t results() const { return checkedResults; }
  std::uint64_t messages() const { return checkedMessages; }
  const Times& times() const { return timesOfOperations; }
  /// Gathers one text per pipeline rank on rank 0, in order. Other ranks get nothing.
  std::vector<std::string> gather(const std::string& text);

private:
  /// A collective in progress.
  struct Calling {
    int pending;
    std::size_t call;
    std::size_t index; ///< index of the operation in the list
  };
  struct Sending {
    int pending;
    Word* buffer;
    Operation op;
    std::size_t index; ///< index of the operation in the list
  };

  void connectLinks();
  void run(const Operation& op);
  void recompute(const Operation& op);
  void pass(const Operation& op, bool backward);
  void pair(const Operation& op, const Operation& with);
  void needInput(const Operation& op, bool backward);
  /// Whether an action is the first or the last of its kind and chunk in the step.
  struct Turn {
    bool first, last;
  };
  Turn turnOf(const Operation& op);
  void body(Turn turn, std::size_t index);
  void segment(const Segment& segment);
  void compute(double seconds);
  void collective(std::size_t call, bool waits);
  void await(const Calling& calling);
  void awaitCalls(std::size_t call);
  void send(const Operation& op, bool forward);
  void receive(const Operation& op, bool forward);
  void collect(bool all);

  void fill(const Part& part, const Pattern& pattern, Word* to);
  void verify(const Call& call, const Part& part, const Pattern& pattern, const Membership& m);
  void fillMessage(bool forward, std::uint64_t chunk, std::uint64_t microBatch);
  void verifyMessage(const Operation& op, bool forward);

  /// Waits for the operation; on a timeout, `what` describes it.
  template <class What> void await(int pending, const What& what);
  [[noreturn]] void fail(int status, const std::string& message);
  void need(bool holds, const std::string& message) {
    if (!holds)
      fail(1, message);
  }

  std::string describe(const Operation& op) const { return describe(op, now); }
  std::string describe(const Operation& op, std::size_t index) const;
  std::uint64_t wordsOf(std::uint64_t bytes, std::uint64_t multiple) const;
  std::uint64_t peerOf(const Operation& op) const {
    return transport.rank() + (op.other - me) * plan.pipelineStride;
  }
  const Chunk& chunkOf(const Operation& op) const {
    return plan.chunks[me * plan.chunksPerRank + op.chunk];
  }
  /// A mark for a micro-batch in this step, by direction, chunk and micro-batch.
  char& mark(std::vector<char>& marks, bool forward, std::uint64_t chunk,
             std::uint64_t microBatch) {
    return marks[((forward ? 0 : plan.chunksPerRank) + chunk) * plan.microBatches + microBatch];
  }
  char& recomputedOf(const Operation& op) {
    return recomputed[op.chunk * plan.microBatches + op.microBatch];
  }

  const Plan& plan;
  Transport& transport;
  const Options& options;
  Links links;
  std::uint64_t me; ///< pipeline rank
  std::vector<Operation> operations;
  Times timesOfOperations;

  bool checking = false;
  std::size_t now = 0; ///< index of the current operation
  double owed = 0;     ///< seconds of computation that have not been slept yet
  std::uint64_t steps = 0, checkedResults = 0, checkedMessages = 0;
  std::vector<std::uint64_t> serials; ///< number of collectives so far, by group
  std::vector<std::uint64_t> ran;     ///< number of actions so far in this step, by chunk and kind
  std::vector<char> computed, received, recomputed;
  Word* incoming = nullptr;                         ///< receive buffer of the transport
  Word *input[streams] = {}, *output[streams] = {}; ///< buffers of the transport
  std::vector<Word> host;                           ///< scratch buffer for filling and checking
  std::uint64_t messageWords = 0;
  std::vector<Sending> sending;
  std::vector<Calling> calling;
  std::vector<Word*> freeBuffers;
};

} // namespace twin

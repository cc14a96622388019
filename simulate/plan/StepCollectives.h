#pragma once
//===- StepCollectives.h - Rendezvous and begin of the collectives of a step ------------------===//
//
// A collective begins when its last member has arrived. Without a network it is one event, with a
// network the sequence of its messages.
#include "simulate/plan/RankStreams.h"
#include "simulate/plan/StepContext.h"

namespace dpl::simulation {

class StepCollectives {
public:
  StepCollectives(StepContext& step, SimulatedRanks& ranks, RankStreams& streams)
      : step(step), ranks(ranks), streams(streams), rendezvous(step.shape.rendezvousCount()) {}

  /// Launches a collective of a rank, which can begin at `ready` and runs `times` times.
  void launch(std::uint32_t rank, ir::Stream stream, const ir::Collective& what,
              std::uint64_t ready, std::uint64_t time, std::uint64_t times = 1);
  /// Whether a ticket, which StepMessages returns at the end, belongs to a collective.
  static bool isOwn(std::uint64_t ticket) { return (ticket & (atRendezvous | ofRank)) != 0; }
  void ended(std::uint64_t ticket, std::uint64_t at);

private:
  struct Rendezvous {
    std::uint64_t ready = 0; ///< latest arrival so far
    llvm::SmallVector<std::uint32_t, 0> arrived;
  };
  void arrive(std::uint32_t rank, StreamsOfRank& of, std::size_t number);
  WaitOrigin lastOf(llvm::ArrayRef<std::uint32_t> members, std::size_t stream) const;
  WaitOrigin wakerOf(llvm::ArrayRef<std::uint32_t> members, std::size_t stream) const;
  void run(std::uint32_t rendezvous);
  void runMessages(std::uint32_t rendezvous);
  void runAlone(std::uint32_t rank, std::size_t stream);

  /// Flags of tickets: the number is that of a rendezvous, or of a stream of a rank that has no
  /// rendezvous.
  static constexpr std::uint64_t atRendezvous = std::uint64_t{1} << 33,
                                 ofRank = std::uint64_t{1} << 34,
                                 numbers = (std::uint64_t{1} << 32) - 1;
  StepContext& step;
  SimulatedRanks& ranks;
  RankStreams& streams;
  std::vector<Rendezvous> rendezvous;
};

} // namespace dpl::simulation

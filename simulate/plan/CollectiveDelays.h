#pragma once
//===- CollectiveDelays.h - How late collectives end whose messages are late
//-------------------===//
//
// Message by message each is late by itself. Where a collective is one event, what its messages
// make it later is drawn from runs of it alone, message by message.
#include "simulate/plan/MessageDelays.h"
#include "simulate/plan/StepNetwork.h"

namespace dpl::simulation {

/// Of each collective, what its messages made it later in runs of it alone, ps.
class DelayTables {
public:
  /// Relies on: nothing speaks against it.
  explicit DelayTables(const ir::Plan& plan);
  /// Why not, as a sentence: a collective has too many messages. Empty where there is none.
  static std::string whyNot(const ir::Plan& plan);
  llvm::ArrayRef<std::uint64_t> of(const ir::Collective& c) const {
    return tables[ofCollective[static_cast<std::size_t>(&c - first)]];
  }

private:
  const ir::Collective* first;
  std::vector<std::vector<std::uint64_t>> tables; ///< of each program
  std::vector<std::size_t> ofCollective;
};

/// Of one step at a time.
class CollectiveDelays {
public:
  /// Without tables collectives are run as their messages.
  CollectiveDelays(const StepShape& shape, const DelayTables* tables);
  void begin(std::uint64_t ofSeed, std::uint32_t ofStep);
  MessageDelays& messages() { return each; }
  /// ps of a message between the devices of two units: the latest of them.
  std::uint64_t ofMessage(std::uint32_t unit);
  /// ps that a collective, run so many times, ends later for the units that meet there, or for one
  /// that meets nobody: of all groups that they stand for the latest.
  std::uint64_t ofRendezvous(std::uint32_t rendezvous, llvm::ArrayRef<std::uint32_t> units,
                             const ir::Collective& c, std::uint64_t times) {
    return drawn(rendezvous, units, c, times);
  }
  std::uint64_t ofRank(std::uint32_t unit, const ir::Collective& c, std::uint64_t times) {
    return drawn(shape.rendezvousCount() + unit, {unit}, c, times);
  }

private:
  std::uint64_t drawn(std::uint32_t whose, llvm::ArrayRef<std::uint32_t> units,
                      const ir::Collective& c, std::uint64_t times);
  const StepShape& shape;
  const DelayTables* tables;
  MessageDelays each;
  std::vector<std::vector<std::uint32_t>> devices; ///< by unit
  std::vector<std::uint32_t> counts;               ///< by meeting, then by unit
  std::uint64_t seed = 1;
  std::uint32_t step = 0;
};

} // namespace dpl::simulation

#pragma once
//===- CollectiveDelays.h - Delays of collectives by late messages ----------------------------===//
//
// Every message has a random delay. If a collective is simulated as one event, its delay is drawn
// from earlier simulations of that collective alone, message by message.
#include "simulate/plan/MessageDelays.h"
#include "simulate/plan/StepNetwork.h"

namespace dpl::simulation {

/// For each collective, the delays in ps that late messages caused when it was simulated alone.
class DelayTables {
public:
  /// Relies on: `whyNot` is empty.
  explicit DelayTables(const ir::Plan& plan);
  /// Why delays cannot be drawn: a collective has too many messages. Empty if they can.
  static std::string whyNot(const ir::Plan& plan);
  llvm::ArrayRef<std::uint64_t> of(const ir::Collective& c) const {
    return tables[ofCollective[static_cast<std::size_t>(&c - first)]];
  }

private:
  const ir::Collective* first;
  std::vector<std::vector<std::uint64_t>> tables; ///< delays of each collective program
  std::vector<std::size_t> ofCollective;
};

/// Draws the delays in one step.
class CollectiveDelays {
public:
  /// If `tables` is null, collectives are simulated message by message.
  CollectiveDelays(const StepShape& shape, const DelayTables* tables);
  void begin(std::uint64_t ofSeed, std::uint32_t ofStep);
  MessageDelays& messages() { return each; }
  /// The delay in ps of a message between two simulated ranks: the largest over the devices that
  /// they represent.
  std::uint64_t ofMessage(std::uint32_t unit);
  /// The ps by which a collective that runs `times` times ends later, for the ranks at a
  /// rendezvous, or for a rank without one: the largest delay of all groups that these ranks
  /// represent.
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
  std::vector<std::vector<std::uint32_t>> devices; ///< devices by simulated rank
  std::vector<std::uint32_t> counts;               ///< number of draws so far, by rendezvous, then
                                                   ///< by rank
  std::uint64_t seed = 1;
  std::uint32_t step = 0;
};

} // namespace dpl::simulation

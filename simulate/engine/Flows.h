#pragma once
//===- Flows.h - Transfers that share the bandwidth of links ----------------------------------===//
// A flow has one rate on all links of its route. Rates are max-min fair: no flow can get more
// without reducing a flow whose rate is not larger (Bertsekas and Gallager, Data Networks, 1992,
// 6.5.2). When flows begin or end, rates are recomputed once per point in time, and only for flows
// that share links with them, directly or indirectly. A flow alone on its links needs no
// computation. For each connected set of flows, the queue contains only the first end, because that
// end changes all other rates.
//
// Flows that share the same links and are alone on all other links form a pool. All flows of a pool
// have one rate. So a flow ends when the work done per flow has grown by the flow's own work,
// whatever flows join or leave (virtual time, as in fair queueing: Demers, Keshav, Shenker, 1989).
// Nothing is recomputed per flow.
#include "simulate/engine/EventQueue.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <functional>
#include <optional>

namespace dpl::simulate {

class Flows {
public:
  static constexpr std::size_t mostLinks = 14; ///< number of links of the longest route

  /// Link capacities are in units of work per ps. The flows add their events to `queue`.
  Flows(std::vector<double> capacities, EventQueue& queue);

  /// Begins a flow at the time of the last event and returns its number. The route has at least one
  /// link and contains no link twice. `payload` is returned when the flow ends.
  std::uint32_t begin(std::uint64_t now, llvm::ArrayRef<std::uint32_t> route, double work,
                      std::uint64_t payload);
  /// Payloads of the caller's events must be less than this.
  static constexpr std::uint64_t ownPayloads = std::uint64_t{1} << 62;
  static bool isOwn(const Event& event) { return event.payload >= ownPayloads; }
  /// Handles an event of the flows. If a flow ended with it, returns the payload of that flow.
  std::optional<std::uint64_t> handle(const Event& event);

  /// Removes all flows; the caller clears the queue. Flow numbers start again, and links keep their
  /// capacities.
  void clear();

  /// Adds a link and returns its number.
  std::uint32_t addLink(double ofCapacity);
  /// Changes a link's capacity at the time of the last event, which changes the rates of its flows.
  void setCapacity(std::uint32_t link, double to, std::uint64_t now);

  /// A function that is called with each interval in which a flow had one rate.
  using Watcher = std::function<void(llvm::ArrayRef<std::uint32_t> route, std::uint64_t from,
                                     std::uint64_t to, double work)>;
  void watch(Watcher by) { watcher = std::move(by); }

  double rate(std::uint32_t flow) const {
    const Flow& of = flows[flow];
    return of.pool == none ? of.rate : pools[of.pool].rate;
  }
  double capacity(std::uint32_t link) const { return capacities[link]; }
  std::size_t linkCount() const { return capacities.size(); }
  llvm::ArrayRef<std::uint32_t> on(std::uint32_t link) const { return links[link]; }
  llvm::ArrayRef<std::uint32_t> route(std::uint32_t flow) const { return flows[flow].route(); }
  /// The number of flows so far. `shared` is the number of those that shared a link with another
  /// flow when they began.
  std::uint64_t begun() const { return all; }
  std::uint64_t shared() const { return met; }

private:
  struct Flow {
    double remaining = 0, rate = 0; ///< work that remains at time `since`, and rate in work per ps
    std::uint64_t since = 0, end = 0;
    double most = 0;           ///< limit on the rate by links that no other flow uses
    std::uint32_t seen = 0;    ///< last round that visited the flow
    std::uint32_t version = 0; ///< version of the valid end event; events of older versions are
                               ///< void
    bool fixed = false;        ///< whether the rate is fixed in this round
    bool queued = false;       ///< whether the end of the flow is in the queue
    std::uint32_t pool = UINT32_MAX;
    std::uint32_t hops = 0;
    std::array<std::uint32_t, mostLinks> links{};
    std::uint64_t payload = 0;
    llvm::ArrayRef<std::uint32_t> route() const { return {links.data(), hops}; }
  };
  struct LinkState {
    double free = 0, share = 0; ///< remaining capacity, in total and per flow without a fixed rate
    std::uint32_t open = 0, seen = 0;
    bool changed = false; ///< whether rates were fixed after `share` was computed
  };

  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::uint32_t versions = (std::uint32_t{1} << 30) - 1;
  /// Flag in the number of an event: it is the first end of a pool.
  static constexpr std::uint32_t ofPool = std::uint32_t{1} << 31;
  /// A flow of a pool. It ends when the work done per flow reaches `work`.
  struct Due {
    double work = 0;
    std::uint32_t flow = 0;
    /// The order of a heap with the first end on top; the lower flow number wins ties.
    bool operator<(const Due& other) const {
      return work != other.work ? work > other.work : flow > other.flow;
    }
  };
  struct Pool {
    llvm::SmallVector<std::uint32_t, 4> shared; ///< links that all flows of the pool use
    double capacity = 0;                        ///< smallest capacity of the shared links
    double least = 0;                           ///< lower bound on the limits by links that only
                                                ///< one flow uses
    double done = 0, rate = 0;                  ///< work done per flow at time `since`, and rate
    std::uint64_t since = 0;
    std::uint32_t version = 0; ///< version of the valid event for the pool's first end
    bool dirty = false;
    std::vector<Due> due;
  };

  void remove(std::uint32_t flow, std::uint64_t now);
  bool join(std::uint32_t flow, std::uint64_t now);
  std::uint32_t popDue(Pool& pool, const Event& event);
  /// Whether the collected flows and links form a pool.
  bool arePool() const;
  void makePool(double rate, std::uint64_t now);
  void advance(Pool& pool, std::uint64_t now);
  void changeLater(std::uint32_t pool, std::uint64_t now);
  void scheduleFirst(std::uint32_t pool, std::uint64_t at, EventPhase phase);
  void settlePool(std::uint32_t pool, std::uint64_t now);
  /// Dissolves a pool: its flows become single flows, and their rates are computed again.
  void dissolve(std::uint32_t pool, std::uint64_t now);
  void empty(std::uint32_t pool);
  double mostAlone(const Flow& flow) const;

  void settleLater(std::uint64_t now);
  void settle(std::uint64_t now);
  /// Collects all flows and links that are connected with a link, directly or indirectly.
  void gather(std::uint32_t link);
  void share(std::uint64_t now);
  /// Fixes the rate of a flow in this round.
  void fix(std::uint32_t flow, double rate, std::uint64_t now);
  void change(std::uint32_t flow, double rate, std::uint64_t now);
  void schedule(std::uint32_t flow, std::uint64_t now);
  static void setRate(Flow& flow, double rate, std::uint64_t now);
  /// Subtracts the work that a single flow did at its rate.
  void advance(Flow& flow, std::uint64_t now);

  std::vector<double> capacities;
  EventQueue& queue;
  std::vector<llvm::SmallVector<std::uint32_t, 4>> links; ///< flows on each link
  std::vector<std::uint32_t> counts;                      ///< number of flows on each link
  std::vector<LinkState> states;
  std::vector<Flow> flows;
  std::vector<Pool> pools;
  std::vector<std::uint32_t> poolOf; ///< by link: pool that uses it
  std::vector<std::uint32_t> unusedPools, dirtyPools;
  std::vector<std::uint32_t> unused, dirty, component, members;
  double leastOfOne = 0; ///< smallest Flow::most of the collected flows
  std::uint32_t round = 0;
  bool settles = false; ///< whether an event that recomputes rates is in the queue
  std::uint64_t all = 0, met = 0;
  Watcher watcher;
};

} // namespace dpl::simulate

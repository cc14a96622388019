#pragma once
//===- Flows.h - Transfers that share links -----------------------------------------------===//
//
// A flow crosses all links of its route at one rate. Rates are max-min fair: no flow can get more
// without taking from one that has no more than it (Bertsekas and Gallager, Data Networks, 1992,
// 6.5.2). Only the flows that share links with one that begins or ends are worked out again, once
// for each instant; who has its links for itself needs none of it. Of flows that hang together only
// the first ends stand in the queue: with them all others are worked out again.
//
// Flows that share the same links, and whose other links they have for themselves, are a pool: they
// have one rate, so that each ends when as much work was done for each of them as it had when it
// came, whoever comes and goes meanwhile (virtual time, as of fair queueing: Demers, Keshav,
// Shenker, 1989). Nothing of a flow is worked out again there.
#include "simulate/engine/EventQueue.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <functional>
#include <optional>

namespace dpl::simulate {

class Flows {
public:
  static constexpr std::size_t mostLinks = 14; ///< of a route

  /// Capacities of all links, in units of work a ps. Events of flows stand in the queue.
  Flows(std::vector<double> capacities, EventQueue& queue);

  /// Begins a flow at the time of the event that was taken last; its number. Each link once, and at
  /// least one. `payload` comes back when it has ended.
  std::uint32_t begin(std::uint64_t now, llvm::ArrayRef<std::uint32_t> route, double work,
                      std::uint64_t payload);
  /// Payloads of events of the caller are below this.
  static constexpr std::uint64_t ownPayloads = std::uint64_t{1} << 62;
  static bool isOwn(const Event& event) { return event.payload >= ownPayloads; }
  /// Takes an event of its own; the payload of the flow that ended with it.
  std::optional<std::uint64_t> handle(const Event& event);

  /// Forgets what runs, with whatever stood in the queue: flows get their numbers as at the
  /// beginning. Links keep their capacities.
  void clear();

  /// One more link; its number.
  std::uint32_t addLink(double ofCapacity);
  /// Its flows, if it has any, get their shares of it from now on, the time of the event that was
  /// taken last.
  void setCapacity(std::uint32_t link, double to, std::uint64_t now);

  /// Is told what each flow did at one rate, and between when.
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
  /// Flows that began so far, and how many of them met another on one of their links then.
  std::uint64_t begun() const { return all; }
  std::uint64_t shared() const { return met; }

private:
  struct Flow {
    double remaining = 0, rate = 0; ///< work, as it was at `since`
    std::uint64_t since = 0, end = 0;
    double most = 0;           ///< that links which it has for itself let through
    std::uint32_t seen = 0;    ///< in which round
    std::uint32_t version = 0; ///< of its end in the queue; older ones are void
    bool fixed = false;        ///< its rate, in this round
    bool queued = false;       ///< its end stands in the queue
    std::uint32_t pool = UINT32_MAX;
    std::uint32_t hops = 0;
    std::array<std::uint32_t, mostLinks> links{};
    std::uint64_t payload = 0;
    llvm::ArrayRef<std::uint32_t> route() const { return {links.data(), hops}; }
  };
  struct LinkState {
    double free = 0, share = 0; ///< of the capacity, and of that for each open flow
    std::uint32_t open = 0, seen = 0;
    bool changed = false; ///< since the share was worked out
  };

  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::uint32_t versions = (std::uint32_t{1} << 30) - 1;
  /// Of the number in an event: the first end of a pool.
  static constexpr std::uint32_t ofPool = std::uint32_t{1} << 31;
  /// A flow of a pool, by the work that is done for each when it ends.
  struct Due {
    double work = 0;
    std::uint32_t flow = 0;
    /// Of a heap with the first on top; of equal ones whichever has the lower number.
    bool operator<(const Due& other) const {
      return work != other.work ? work > other.work : flow > other.flow;
    }
  };
  struct Pool {
    llvm::SmallVector<std::uint32_t, 4> shared; ///< links that all its flows cross
    double capacity = 0;                        ///< the least of these
    double least = 0;                           ///< that a flow's own links let through, or less
    double done = 0, rate = 0;                  ///< work for each flow, as it was at `since`
    std::uint64_t since = 0;
    std::uint32_t version = 0; ///< of its first end in the queue
    bool dirty = false;
    std::vector<Due> due;
  };

  void remove(std::uint32_t flow, std::uint64_t now);
  bool join(std::uint32_t flow, std::uint64_t now);
  std::uint32_t popDue(Pool& pool, const Event& event);
  /// Whether the members of the component are one.
  bool arePool() const;
  void makePool(double rate, std::uint64_t now);
  void advance(Pool& pool, std::uint64_t now);
  void changeLater(std::uint32_t pool, std::uint64_t now);
  void scheduleFirst(std::uint32_t pool, std::uint64_t at, EventPhase phase);
  void settlePool(std::uint32_t pool, std::uint64_t now);
  /// Its flows are by themselves again, and are to be settled.
  void dissolve(std::uint32_t pool, std::uint64_t now);
  void empty(std::uint32_t pool);
  double mostAlone(const Flow& flow) const;

  void settleLater(std::uint64_t now);
  void settle(std::uint64_t now);
  /// The flows and links that hang together with a link, from it on.
  void gather(std::uint32_t link);
  void share(std::uint64_t now);
  /// Its rate in this round.
  void fix(std::uint32_t flow, double rate, std::uint64_t now);
  void change(std::uint32_t flow, double rate, std::uint64_t now);
  void schedule(std::uint32_t flow, std::uint64_t now);
  static void setRate(Flow& flow, double rate, std::uint64_t now);
  /// Does what it has done at its rate, by itself.
  void advance(Flow& flow, std::uint64_t now);

  std::vector<double> capacities;
  EventQueue& queue;
  std::vector<llvm::SmallVector<std::uint32_t, 4>> links; ///< flows on each
  std::vector<std::uint32_t> counts;                      ///< of flows on each, beside one another
  std::vector<LinkState> states;
  std::vector<Flow> flows;
  std::vector<Pool> pools;
  std::vector<std::uint32_t> poolOf; ///< by link: what shares it
  std::vector<std::uint32_t> unusedPools, dirtyPools;
  std::vector<std::uint32_t> unused, dirty, component, members;
  double leastOfOne = 0; ///< of Flow::most in the component
  std::uint32_t round = 0;
  bool settles = false; ///< a settlement stands in the queue
  std::uint64_t all = 0, met = 0;
  Watcher watcher;
};

} // namespace dpl::simulate

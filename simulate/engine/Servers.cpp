//===- Servers.cpp - Workers and parameter servers --------------------------------------------===//
#include "simulate/engine/Servers.h"
#include "simulate/engine/Flows.h"
#include "simulate/engine/StepRecord.h"
#include <cmath>

using namespace dpl::simulate;

namespace {
enum class What : std::uint8_t { Computed, Push, Pull };
/// A message, or the end of a worker's computation, encoded in an event.
struct Item {
  What what;
  std::uint32_t worker = 0, server = 0, slice = 0;
};
constexpr std::uint64_t low(std::uint64_t bits, unsigned count) {
  return bits & ((std::uint64_t{1} << count) - 1);
}
std::uint64_t payloadOf(const Item& item) {
  return static_cast<std::uint64_t>(item.what) << 56 | std::uint64_t{item.worker} << 32 |
         std::uint64_t{item.server} << 16 | item.slice;
}
Item itemOf(std::uint64_t payload) {
  return {static_cast<What>(payload >> 56), static_cast<std::uint32_t>(low(payload >> 32, 24)),
          static_cast<std::uint32_t>(low(payload >> 16, 16)),
          static_cast<std::uint32_t>(low(payload, 16))};
}

/// Link capacities of workers, then of servers, each in both directions.
std::vector<double> capacitiesOf(const Servers& servers) {
  std::vector<double> out;
  for (const double rate : servers.links)
    out.insert(out.end(), 2, rate);
  out.resize(out.size() + 2 * servers.bytes.size(), servers.rate);
  return out;
}

class ServersRun {
public:
  ServersRun(const Workers& workers, const Servers& toServers, std::vector<double> times)
      : of(workers), servers(toServers), compute(std::move(times)),
        count(static_cast<std::uint32_t>(servers.bytes.size())),
        flows(capacitiesOf(servers), queue), record(of), states(of.workers), through(of.steps),
        arrived(std::size_t{count} * servers.slices), loads(count) {}

  ServersTime run() {
    for (std::uint32_t worker = 0; worker < of.workers; ++worker)
      begin(worker);
    while (!queue.empty()) {
      const Event event = queue.pop();
      now = event.time();
      if (!Flows::isOwn(event))
        happens(itemOf(event.payload));
      else if (const auto payload = flows.handle(event))
        ends(itemOf(*payload));
    }
    return summary();
  }

private:
  struct WorkerState {
    std::uint32_t step = 0;              ///< current or next step
    std::uint32_t exchanged = 0;         ///< step whose exchange is in progress
    std::uint64_t began = 0;             ///< start of that exchange
    std::uint64_t requested = 0;         ///< earliest start of the worker's step
    std::uint32_t pushes = 0, pulls = 0; ///< unfinished messages of the exchange
    bool blocked = false;                ///< whether the worker waits to start a step
    bool waiting = false;                ///< whether the worker waits for its previous exchange
  };
  /// The number of messages at a server, integrated over time, and the bytes of its link.
  struct ServerLoad {
    std::uint64_t messages = 0, most = 0, since = 0;
    double sum = 0, bytes = 0;
  };

  bool barrier() const { return of.synchronization == WorkerSynchronization::Barrier; }
  std::uint32_t bound() const {
    return barrier()                                              ? 0
           : of.synchronization == WorkerSynchronization::Bounded ? of.bound
                                                                  : of.steps;
  }

  void begin(std::uint32_t worker) {
    WorkerState& s = states[worker];
    s.requested = now;
    start(worker);
  }
  void start(std::uint32_t worker) {
    WorkerState& s = states[worker];
    s.blocked = false;
    if (s.step == of.steps)
      return;
    if (s.step > bound() && through[s.step - bound() - 1] < of.workers) {
      s.blocked = true;
      return;
    }
    const std::size_t at = record.at(s.step, worker);
    record.waits(s.step, worker, static_cast<double>(now - s.requested));
    record.read[at] = static_cast<double>(now);
    queue.add(now + static_cast<std::uint64_t>(std::llround(compute[at])), EventPhase::Begins,
              payloadOf({What::Computed, worker}));
  }

  void happens(const Item& item) {
    if (item.what == What::Computed) {
      WorkerState& s = states[item.worker];
      s.waiting = s.pulls > 0;
      if (!s.waiting)
        exchange(item.worker);
      return;
    }
    ServerLoad& load = changing(item.server);
    load.most = std::max(load.most, ++load.messages);
    const bool push = item.what == What::Push;
    const double bytes = servers.bytes[item.server] / servers.slices * (push ? 1 : servers.back);
    load.bytes += bytes;
    const llvm::ArrayRef<std::uint32_t> way = servers.ways[item.worker].links;
    llvm::SmallVector<std::uint32_t, Flows::mostLinks> route = {portOf(way.front(), push ? 1 : 0)};
    for (const std::uint32_t link : way.drop_front())
      route.push_back(2 * link + (push ? 1 : 0));
    const auto first = static_cast<std::uint32_t>(servers.links.size());
    route.push_back(portOf(first + item.server, push ? 0 : 1));
    flows.begin(now, route, bytes, payloadOf(item));
  }
  /// The number of a device's or server's link in one direction.
  std::uint32_t portOf(std::uint32_t link, std::uint32_t out) const {
    return 2 * link + (servers.duplex ? out : 0);
  }
  ServerLoad& changing(std::uint32_t server) {
    ServerLoad& load = loads[server];
    load.sum += static_cast<double>(load.messages) * static_cast<double>(now - load.since);
    load.since = now;
    return load;
  }

  void exchange(std::uint32_t worker) {
    WorkerState& s = states[worker];
    s.waiting = false;
    s.exchanged = s.step++;
    s.began = now, lastBegan = now;
    s.pushes = s.pulls = count * servers.slices;
    for (std::uint32_t server = 0; server < count; ++server)
      send({What::Push, worker, server});
    if (of.kind == ExchangeMode::Overlapped)
      begin(worker);
  }
  void send(const Item& item) {
    queue.add(now + servers.ways[item.worker].latency, EventPhase::Begins, payloadOf(item));
  }

  void ends(const Item& item) {
    --changing(item.server).messages;
    if (item.what == What::Push)
      pushed(item);
    else if (--states[item.worker].pulls == 0)
      pulled(item.worker);
  }
  void pushed(const Item& item) {
    WorkerState& s = states[item.worker];
    if (item.slice + 1 < servers.slices)
      send({What::Push, item.worker, item.server, item.slice + 1});
    if (--s.pushes == 0)
      record.updated[record.at(s.exchanged, item.worker)] = static_cast<double>(now);
    if (!barrier()) {
      send({What::Pull, item.worker, item.server, item.slice});
      return;
    }
    std::uint32_t& here = arrived[std::size_t{item.server} * servers.slices + item.slice];
    if (++here < of.workers)
      return;
    here = 0;
    for (std::uint32_t worker = 0; worker < of.workers; ++worker)
      send({What::Pull, worker, item.server, item.slice});
  }
  void pulled(std::uint32_t worker) {
    WorkerState& s = states[worker];
    const std::uint32_t step = s.exchanged;
    record.ended[record.at(step, worker)] = static_cast<double>(now);
    // With a barrier the exchange is measured from the arrival of the last worker.
    exchanges += static_cast<double>(now - (barrier() ? lastBegan : s.began));
    if (s.waiting)
      exchange(worker);
    else if (of.kind != ExchangeMode::Overlapped)
      begin(worker);
    if (++through[step] < of.workers)
      return;
    record.slowest[step] = static_cast<double>(now);
    for (std::uint32_t other = 0; other < of.workers; ++other)
      if (states[other].blocked)
        start(other);
  }

  ServersTime summary() {
    ServersTime out;
    out.workers = barrier() ? rounds() : record.summary();
    out.exchange = exchanges / static_cast<double>(record.ended.size());
    const double time = record.slowest.back(), both = servers.duplex ? 2 : 1;
    for (std::uint32_t server = 0; server < count; ++server) {
      const ServerLoad& load = changing(server);
      const double use = load.bytes / (both * servers.rate * time);
      out.busiest = std::max(out.busiest, use);
      out.mean += use / count;
      out.waiting = std::max(out.waiting, load.sum / time);
      out.atOnce = std::max(out.atOnce, static_cast<double>(load.most));
    }
    return out;
  }
  /// The result if all workers begin each step together.
  WorkersTime rounds() const {
    WorkersTime out;
    double waited = 0, before = 0;
    for (std::uint32_t step = 0; step < of.steps; ++step) {
      double last = 0, all = 0;
      for (std::uint32_t worker = 0; worker < of.workers; ++worker) {
        last = std::max(last, compute[record.at(step, worker)]);
        all += compute[record.at(step, worker)];
      }
      waited += last - all / of.workers;
      out.parts.push_back(record.slowest[step] - before);
      before = record.slowest[step];
    }
    out.step = before / of.steps;
    out.waiting = before > 0 ? waited / before : 0;
    out.batches = batchMeans(out.parts, of.apart);
    return out;
  }

  const Workers& of;
  const Servers& servers;
  std::vector<double> compute; ///< ps of each step, by step and worker
  std::uint32_t count;
  EventQueue queue;
  Flows flows;
  StepRecord record;
  std::vector<WorkerState> states;
  std::vector<std::uint32_t> through; ///< by step: number of workers that have ended it
  std::vector<std::uint32_t> arrived; ///< by server and slice: number of workers that have sent it
  std::vector<ServerLoad> loads;
  double exchanges = 0;
  std::uint64_t lastBegan = 0; ///< start of the last exchange
  std::uint64_t now = 0;
};
} // namespace

ServersTime dpl::simulate::run(const Workers& of, const Servers& servers,
                               llvm::function_ref<double(std::uint32_t, std::uint32_t)> compute) {
  assert(!servers.bytes.empty() && servers.bytes.size() < 1U << 16 && servers.slices < 1U << 16);
  assert(servers.ways.size() == of.workers);
  assert(of.workers < 1U << 24 && of.synchronization != WorkerSynchronization::Local &&
         of.synchronization != WorkerSynchronization::Backup);
  std::vector<double> times;
  times.reserve(std::size_t{of.steps} * of.workers);
  for (std::uint32_t step = 0; step < of.steps; ++step)
    for (std::uint32_t worker = 0; worker < of.workers; ++worker)
      times.push_back(compute(worker, step));
  return ServersRun(of, servers, std::move(times)).run();
}

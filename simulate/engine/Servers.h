#pragma once
//===- Servers.h - Workers and parameter servers ----------------------------------------------===//
// Each server stores a part of the parameters. A worker sends its gradients of that part (push) and
// receives the parameters (pull). The messages are flows over links of the workers and one link of
// each server.
#include "simulate/engine/Workers.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::simulate {

/// The links from a worker to the servers.
struct WayToServers {
  llvm::SmallVector<std::uint32_t, 4> links; ///< port of the worker, then shared links
  std::uint64_t latency = 0;                 ///< ps before a message uses its links
};
struct Servers {
  std::vector<double> bytes;      ///< bytes that a worker sends to each server, above 0
  double back = 1;                ///< bytes received per byte sent, above 0
  double rate = 1;                ///< bytes per ps of a server's link
  std::vector<double> links;      ///< bytes per ps, in each direction
  std::vector<WayToServers> ways; ///< links to the servers, by worker
  /// Whether each direction of a port or server has its own link.
  bool duplex = true;
  /// Number of equal slices of a server's part. A server returns a slice while it receives the next
  /// one.
  std::uint32_t slices = 1;
};

struct ServersTime {
  WorkersTime workers;
  /// Mean time in ps from the first to the last message of a worker's step. With a barrier it is
  /// measured from the first message of the last worker.
  double exchange = 0;
  double busiest = 0, mean = 0;   ///< share of the time in which a server's link is in use: busiest
                                  ///< server, and mean
  double waiting = 0, atOnce = 0; ///< messages at the server that has most: mean and maximum
};

/// Simulates workers and servers. With a barrier in each step, a server returns a slice when all
/// workers have sent it; otherwise it answers each worker at once. Other modes are not supported.
/// `compute` returns the ps of a worker's step; it is called once for each, in the order of steps,
/// then workers.
ServersTime run(const Workers& of, const Servers& servers,
                llvm::function_ref<double(std::uint32_t worker, std::uint32_t step)> compute);

} // namespace dpl::simulate

#pragma once
//===- Servers.h - Workers that send their gradients to servers of the parameters -------------===//
//
// Each server holds a part of the parameters. A worker sends it its gradients of that part (push)
// and gets the parameters back (pull), as flows over links of the workers and one of each server.
#include "simulate/engine/Workers.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::simulate {

/// How a worker comes to the servers.
struct WayToServers {
  llvm::SmallVector<std::uint32_t, 4> links; ///< its port first, then what it shares with others
  std::uint64_t latency = 0;                 ///< ps, until a message is on its links
};
struct Servers {
  std::vector<double> bytes;      ///< that a worker sends to each; above 0
  double back = 1;                ///< bytes that it gets for each of these; above 0
  double rate = 1;                ///< bytes a ps of a server's link
  std::vector<double> links;      ///< bytes a ps, in each direction
  std::vector<WayToServers> ways; ///< by worker
  /// What comes to a port or a server and what goes have a link each; else they share one.
  bool duplex = true;
  /// Of equal size, in which a server's part is sent: one goes back while the next ones come.
  std::uint32_t slices = 1;
};

struct ServersTime {
  WorkersTime workers;
  /// ps from the first message of a worker's step, with a barrier from that of the last worker, to
  /// its last, mean.
  double exchange = 0;
  double busiest = 0, mean = 0;   ///< share of the time in which a server's link is full
  double waiting = 0, atOnce = 0; ///< messages at the server that has most: on average, and at most
};

/// Where all wait in each step a server sends a piece back when it has that of every worker, else
/// to each worker what it got of it. Workers that wait in rounds or for some alone are not run so.
/// `compute` gives the ps of a worker's step, asked for once in the order of steps, then workers.
ServersTime run(const Workers& of, const Servers& servers,
                llvm::function_ref<double(std::uint32_t worker, std::uint32_t step)> compute);

} // namespace dpl::simulate

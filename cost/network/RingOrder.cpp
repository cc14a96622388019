//===- RingOrder.cpp - The order of a group's ranks in custom rings ---------------------------===//
#include "cost/network/RingOrder.h"
#include "cost/network/LinkLoad.h"
#include <algorithm>
#include <map>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The ring order of the cluster's devices, without devices of a node that the layout does not use.
std::vector<std::uint64_t> devicesOfNode(const Cluster& cluster) {
  const std::uint64_t all = cluster.network.nodeDevices, taken = cluster.gpusPerNode;
  std::vector<std::uint64_t> out;
  for (const std::uint64_t device : cluster.network.order)
    if (device % all < taken)
      out.push_back(device / all * taken + device % all);
  return out;
}

std::size_t leavesNodes(const std::vector<std::uint64_t>& devices, std::uint64_t each) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < devices.size(); ++i)
    count += devices[i] / each != devices[(i + 1) % devices.size()] / each;
  return count;
}

/// Replaces devices by their ranks in ascending order.
std::vector<std::uint64_t> placesOf(const std::vector<std::uint64_t>& devices) {
  std::vector<std::uint64_t> sorted = devices, places;
  std::sort(sorted.begin(), sorted.end());
  for (const std::uint64_t device : devices)
    places.push_back(static_cast<std::uint64_t>(
        std::lower_bound(sorted.begin(), sorted.end(), device) - sorted.begin()));
  return places;
}
} // namespace

std::vector<std::uint64_t> cost::ringOrder(const Group& group, const Cluster& cluster) {
  if (cluster.network.order.empty() || group.size < 2)
    return {};
  const std::vector<std::uint64_t> devices = devicesOfNode(cluster);
  const std::uint64_t ranks = ranksInside(group.strides, devices.size());
  if (ranks < 2 || group.size % ranks != 0)
    return {};
  std::map<std::uint64_t, std::vector<std::uint64_t>> groups; // by first device
  for (const std::uint64_t device : devices) {
    std::uint64_t first = device;
    for (const Stride& s : group.strides)
      first -= s.beyondFirst(device);
    groups[first].push_back(device);
  }
  std::vector<std::uint64_t> worst;
  std::size_t most = 0;
  for (const auto& [first, members] : groups)
    if (const std::size_t left = leavesNodes(members, cluster.gpusPerNode);
        members.size() == ranks && (worst.empty() || left > most))
      worst = placesOf(members), most = left;
  return std::is_sorted(worst.begin(), worst.end()) ? std::vector<std::uint64_t>() : worst;
}

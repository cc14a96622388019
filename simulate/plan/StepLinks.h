#pragma once
//===- StepLinks.h - The links of a cluster that the messages of a step share -----------------===//
//
// What a link carries is counted in the ps that a device takes for it through ports of its own and
// without a taper. So a link of one device does 1 a ps, a port that devices share as much as they
// have in all, and what leads out of a unit what all devices inside may send: one link, or several
// onto which flows are hashed. A flow is all that a device sends another one.
#include "ir/DirectUnits.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace dpl::simulation {

class StepLinks {
public:
  /// The links of devices 0, 1, 2, …; the seed says which way flows take. Nothing: they spread
  /// evenly.
  StepLinks(const ir::Cluster& cluster, std::uint32_t devices, std::optional<std::uint64_t> seed);

  /// A class of links in both directions: those that lead out, then as many that lead in.
  struct LinkTypeRange {
    std::string name; ///< "device", "port", "out of a leaf"
    std::uint32_t first = 0, units = 0;
    std::uint32_t each = 1;    ///< of a unit and direction
    std::uint64_t devices = 1; ///< that have one of them together
    std::size_t level = 0;     ///< of what crosses it, at least
    bool direct = false;       ///< each of a unit leads straight to another one, and is no way in
    std::uint32_t count() const { return units * each; } ///< in one direction
  };
  llvm::ArrayRef<LinkTypeRange> linkTypes() const { return all; }
  std::size_t linkTypeOf(std::uint32_t link) const;
  /// "port of device 8, out"; `layoutDevices` in a unit.
  std::string nameOf(std::uint32_t link) const;
  llvm::ArrayRef<double> capacities() const { return capacity; }
  /// Those before it are of devices inside scale-up domains.
  std::uint32_t firstOfNetwork() const { return 2 * all.front().units; }
  /// Whether devices have some of them together.
  bool joint() const { return several; }

  using LinkRoute = llvm::SmallVector<std::uint32_t, 16>;
  /// Appends what a message between two devices over links of that level crosses.
  void route(std::uint32_t from, std::uint32_t to, std::size_t level, LinkRoute& links) const;
  /// What one ps of the plan, in which a device has its share of what is tapered, is in the links'
  /// count.
  double scaleAt(std::size_t level) const { return scale[level]; }
  /// The class of the tapered links of that level.
  std::optional<std::size_t> taperOf(std::size_t level) const { return tapers[level]; }

private:
  void add(std::string name, llvm::ArrayRef<double> capacities, std::uint64_t devices,
           std::size_t level, std::uint32_t each = 1);
  void addUnits(const ir::Cluster& cluster);
  void addAffinity(const ir::Cluster& cluster, std::uint32_t used, std::uint64_t ports);

  static constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t count;
  std::optional<std::uint64_t> seed;
  std::vector<double> scale; ///< by level
  std::vector<std::optional<std::size_t>> tapers;
  ir::DirectUnits direct;
  std::vector<double> capacity;
  std::vector<LinkTypeRange> all;
  std::vector<std::uint32_t> portOf; ///< by device
  std::vector<std::uint32_t> hostOf; ///< by device: the node that it crosses, or none
  bool several = false;
};

} // namespace dpl::simulation

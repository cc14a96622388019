#pragma once
//===- StepLinks.h - The links that the messages of a step share ------------------------------===//
//
// Work on a link is measured in ps that a device would need on its own ports without
// oversubscription. A link of one device does 1 per ps. A shared port does as much as its devices
// have in total. A link out of a unit does what all devices inside may send; it is one link, or
// several onto which flows are hashed. A flow is all data that one device sends to another.
#include "ir/DirectUnits.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace dpl::simulation {

class StepLinks {
public:
  /// The links of devices 0, 1, 2, …. The seed determines the hashes of flows; without it flows
  /// spread evenly.
  StepLinks(const ir::Cluster& cluster, std::uint32_t devices, std::optional<std::uint64_t> seed);

  /// A link type in both directions: the links that lead out, then as many that lead in.
  struct LinkTypeRange {
    std::string name; ///< "device", "port", "out of a leaf"
    std::uint32_t first = 0, units = 0;
    std::uint32_t each = 1;    ///< links per unit and direction
    std::uint64_t devices = 1; ///< devices that share one link
    std::size_t level = 0;     ///< lowest level of messages that use it
    bool direct = false;       ///< direct links between units, which lead out only
    std::uint32_t count() const { return units * each; } ///< links in one direction
  };
  llvm::ArrayRef<LinkTypeRange> linkTypes() const { return all; }
  std::size_t linkTypeOf(std::uint32_t link) const;
  /// "port of rank 8, out", "uplink 2 of leaf 0, in".
  std::string nameOf(std::uint32_t link) const;
  llvm::ArrayRef<double> capacities() const { return capacity; }
  /// The links before this one belong to devices inside scale-up domains.
  std::uint32_t firstOfNetwork() const { return 2 * all.front().units; }
  /// Whether devices share some of the links.
  bool joint() const { return several; }

  using LinkRoute = llvm::SmallVector<std::uint32_t, 16>;
  /// Appends the links of a message between two devices at this level.
  void route(std::uint32_t from, std::uint32_t to, std::size_t level, LinkRoute& links) const;
  /// Factor from ps of the plan, which include oversubscription, to work on links.
  double scaleAt(std::size_t level) const { return scale[level]; }
  /// The oversubscribed link type of this level.
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
  std::vector<std::uint32_t> hostOf; ///< by device: node whose host link it crosses, or none
  bool several = false;
};

} // namespace dpl::simulation

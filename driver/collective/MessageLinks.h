#pragma once
//===- MessageLinks.h - The individual links of a cluster -------------------------------------===//
#include "cost/collectives/Algorithm.h"
#include "ir/DirectUnits.h"
#include "simulate/engine/MessageRun.h"

namespace dpl::score {

/// The links between the first devices of a cluster: those inside scale-up domains, ports, and
/// links out of units. The levels have the bandwidth per device; a link that devices share has the
/// sum of theirs.
class MessageLinks {
public:
  /// Times are in 1 / `parts` of a ps. `shape` is that of devices 0, 1, 2, …
  MessageLinks(const ir::Cluster& cluster, const cost::GroupShape& shape, double parts);

  /// A link type, in each direction.
  struct LinkTypeSpan {
    std::string name; ///< "device", "port", "out of a leaf"
    std::uint32_t first = 0, count = 0;
  };
  llvm::ArrayRef<LinkTypeSpan> linkTypes() const { return all; }
  /// Bytes per part of a ps.
  const std::vector<double>& capacities() const { return capacity; }

  std::uint64_t latency(std::uint32_t from, std::uint32_t to) const;
  /// The links of a message: all ports of the units that it leaves and enters
  /// (Pattern::sideBySide), or those of its two devices.
  void route(std::uint32_t from, std::uint32_t to, bool sideBySide, simulate::FlowRoute& out) const;

private:
  void addDevices();
  void addPorts();
  void addUnits();
  /// Adds links in both directions, in bytes per second each, and returns the first number.
  std::uint32_t add(std::string name, llvm::ArrayRef<double> bytes);
  std::size_t levelOf(std::uint32_t from, std::uint32_t to) const;
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(shape.ranks()); }

  /// The links out of and into the units of a level. For direct units, the links between each two
  /// units that the next level joins.
  struct UnitPorts {
    std::uint32_t first = 0, units = 0;
    bool limits = false; ///< whether they carry less than the ports inside
  };

  const ir::Cluster& cluster;
  const cost::GroupShape shape;
  const double parts;
  const ir::DirectUnits direct;
  std::vector<ir::LinkLevels> levels;    ///< by node type, as seen from its ports
  std::vector<std::uint32_t> nodeTypeOf; ///< by rank: type of its node
  std::vector<std::uint32_t> portOf;     ///< by rank; devices of a node may share a port
  std::vector<double> capacity;
  std::vector<LinkTypeSpan> all;
  std::uint32_t firstDevice = 0, firstPort = 0, portCount = 0;
  std::vector<UnitPorts> out; ///< by level of the unit
};

} // namespace dpl::score

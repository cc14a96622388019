#pragma once
//===- MessageLinks.h - The individual links of a cluster -------------------------------------===//
#include "cost/collectives/Algorithm.h"
#include "ir/DirectUnits.h"
#include "simulate/engine/MessageRun.h"

namespace dpl::score {

/// The links among the first devices of a cluster: links inside scale-up domains, ports, and links
/// out of units. A level has a bandwidth per device. A link that several devices share has the sum
/// of their bandwidths.
class MessageLinks {
public:
  /// Times are in 1 / `parts` of a ps. `shape` is the group of devices 0, 1, 2, ….
  MessageLinks(const ir::Cluster& cluster, const cost::GroupShape& shape, double parts);

  /// The links of one type, in each direction.
  struct LinkTypeSpan {
    std::string name; ///< name of the type: "device", "port", "out of a leaf"
    std::uint32_t first = 0, count = 0;
  };
  llvm::ArrayRef<LinkTypeSpan> linkTypes() const { return all; }
  /// Capacities of the links, in bytes per 1 / `parts` of a ps.
  const std::vector<double>& capacities() const { return capacity; }

  std::uint64_t latency(std::uint32_t from, std::uint32_t to) const;
  /// The links of a message. If `sideBySide` is set (Pattern::sideBySide), it uses all ports of the
  /// units that it leaves and enters; otherwise those of its two devices.
  void route(std::uint32_t from, std::uint32_t to, bool sideBySide, simulate::FlowRoute& out) const;

private:
  void addDevices();
  void addPorts();
  void addUnits();
  /// Adds links in both directions. `bytes` are their rates in bytes per second. Returns the number
  /// of the first link.
  std::uint32_t add(std::string name, llvm::ArrayRef<double> bytes);
  std::size_t levelOf(std::uint32_t from, std::uint32_t to) const;
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(shape.ranks()); }

  /// The links out of the units of a level and into them. If units are joined directly, the links
  /// between each two units that the next level joins.
  struct UnitPorts {
    std::uint32_t first = 0, units = 0;
    bool limits = false; ///< whether these links carry less than the ports inside the unit
  };

  const ir::Cluster& cluster;
  const cost::GroupShape shape;
  const double parts;
  const ir::DirectUnits direct;
  std::vector<ir::LinkLevels> levels;    ///< link levels by node type, as seen from ports of the
                                         ///< type
  std::vector<std::uint32_t> nodeTypeOf; ///< node type by rank
  std::vector<std::uint32_t> portOf;     ///< port by rank; devices of a node may share a port
  std::vector<double> capacity;
  std::vector<LinkTypeSpan> all;
  std::uint32_t firstDevice = 0, firstPort = 0, portCount = 0;
  std::vector<UnitPorts> out; ///< links of units, by level of the unit
};

} // namespace dpl::score

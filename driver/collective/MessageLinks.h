#pragma once
//===- MessageLinks.h - The links of a cluster, one by one ------------------------------------===//
#include "cost/collectives/Algorithm.h"
#include "ir/DirectUnits.h"
#include "simulate/engine/MessageRun.h"

namespace dpl::score {

/// What the first devices of a cluster have between them: their links inside a scale-up domain,
/// ports, and the links out of units. Levels say what each gives a device; a link that devices
/// share has what they have together.
class MessageLinks {
public:
  /// Times are in so many parts of a ps. `shape` is that of devices 0, 1, 2, …
  MessageLinks(const ir::Cluster& cluster, const cost::GroupShape& shape, double parts);

  /// A class of links, in each direction.
  struct LinkTypeSpan {
    std::string name; ///< "device", "port", "out of a leaf"
    std::uint32_t first = 0, count = 0;
  };
  llvm::ArrayRef<LinkTypeSpan> linkTypes() const { return all; }
  /// Bytes a part of a ps.
  const std::vector<double>& capacities() const { return capacity; }

  std::uint64_t latency(std::uint32_t from, std::uint32_t to) const;
  /// With all ports of the units that it leaves and enters (Pattern::sideBySide), or with those of
  /// its two devices.
  void route(std::uint32_t from, std::uint32_t to, bool sideBySide, simulate::FlowRoute& out) const;

private:
  void addDevices();
  void addPorts();
  void addUnits();
  /// Both directions; bytes a second of each. The number of the first.
  std::uint32_t add(std::string name, llvm::ArrayRef<double> bytes);
  std::size_t levelOf(std::uint32_t from, std::uint32_t to) const;
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(shape.ranks()); }

  /// The links out of the units of a level, and into them; of direct units those from each to each
  /// other that the next level joins.
  struct UnitPorts {
    std::uint32_t first = 0, units = 0;
    bool limits = false; ///< they carry less than the ports of the devices inside
  };

  const ir::Cluster& cluster;
  const cost::GroupShape shape;
  const double parts;
  const ir::DirectUnits direct;
  std::vector<ir::LinkLevels> levels;    ///< by class of nodes, as its own ports see them
  std::vector<std::uint32_t> nodeTypeOf; ///< by rank, of its node
  std::vector<std::uint32_t> portOf;     ///< by rank; devices of a node may share one
  std::vector<double> capacity;
  std::vector<LinkTypeSpan> all;
  std::uint32_t firstDevice = 0, firstPort = 0, portCount = 0;
  std::vector<UnitPorts> out; ///< by level of the unit, all inside the spanned one
};

} // namespace dpl::score

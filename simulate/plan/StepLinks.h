#pragma once
//===- StepLinks.h - The links that the messages of a step share ------------------------------===//
//
// Work on a link is measured in the ps that a device would need on its own ports without
// oversubscription. A link of one device does 1 ps of work per ps. A shared port does as much as
// all its devices would on their own links. The links out of a unit do what all devices inside may
// send. There is one such link, or several, and flows are hashed onto them. A flow is all data that
// one device sends to another.
#include "ir/DirectUnits.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace dpl::simulation {

class StepLinks {
public:
  /// Makes the links of devices 0, 1, 2, …. The seed determines the hashes of flows. Without a
  /// seed, flows spread evenly.
  StepLinks(const ir::Cluster& cluster, std::uint32_t devices, std::optional<std::uint64_t> seed);

  /// Links of one type: first the links that lead out, then an equal number that lead in.
  struct LinkTypeRange {
    std::string name; ///< name of the type: "device", "port", "out of a leaf"
    std::uint32_t first = 0, units = 0;
    std::uint32_t each = 1;    ///< links per unit and direction
    std::uint64_t devices = 1; ///< devices that share one link
    std::size_t level = 0;     ///< innermost level whose messages use the links
    bool direct = false;       ///< whether these are direct links between units, which have no
                               ///< links that lead in
    std::uint32_t count() const { return units * each; } ///< links in one direction
  };
  llvm::ArrayRef<LinkTypeRange> linkTypes() const { return all; }
  std::size_t linkTypeOf(std::uint32_t link) const;
  /// The name of a link: "port of rank 8, out", "uplink 2 of leaf 0, in".
  std::string nameOf(std::uint32_t link) const;
  llvm::ArrayRef<double> capacities() const { return capacity; }
  /// Links with smaller numbers are those of devices inside scale-up domains.
  std::uint32_t firstOfNetwork() const { return 2 * all.front().units; }
  /// Whether some links are shared by several devices.
  bool joint() const { return several; }

  using LinkRoute = llvm::SmallVector<std::uint32_t, 16>;
  /// Appends the links of a message between two devices that communicate at this level.
  void route(std::uint32_t from, std::uint32_t to, std::size_t level, LinkRoute& links) const;
  /// Factor that converts ps of the plan, which include oversubscription, to work on links.
  double scaleAt(std::size_t level) const { return scale[level]; }
  /// The oversubscribed link type that messages of this level use.
  std::optional<std::size_t> taperOf(std::size_t level) const { return tapers[level]; }

private:
  void add(std::string name, llvm::ArrayRef<double> capacities, std::uint64_t devices,
           std::size_t level, std::uint32_t each = 1);
  void addUnits(const ir::Cluster& cluster);
  void addAffinity(const ir::Cluster& cluster, std::uint32_t used, std::uint64_t ports);

  static constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t count;
  std::optional<std::uint64_t> seed;
  std::vector<double> scale; ///< factors of `scaleAt`, by level
  std::vector<std::optional<std::size_t>> tapers;
  ir::DirectUnits direct;
  std::vector<double> capacity;
  std::vector<LinkTypeRange> all;
  std::vector<std::uint32_t> portOf; ///< port index, by device
  std::vector<std::uint32_t> hostOf; ///< node whose host link the device's messages cross, or
                                     ///< `none`; by device
  bool several = false;
};

} // namespace dpl::simulation

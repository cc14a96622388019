#pragma once
//===- Network.h - The network as the file states it ------------------------------------------===//
//
// Kinds of unit and classes of links, with counts: nothing here is an object a device. What a group
// sees of it is derived: linkLevels (ir/Cluster.h).
#include "ir/Basics.h"

namespace dpl::ir {

/// One kind of unit. Each holds whole units of the kind before it.
struct UnitKind {
  Level level = Level::Node;
  std::uint64_t nodes = 1; ///< in one unit
  template <class V> void fields(V& v) { v("level", level), v("nodes", nodes); }
};

enum class LinkKind : std::uint8_t {
  ScaleUp, ///< of a device, inside its domain
  Port,    ///< of a node
  Host,    ///< of a node: to ports that stand elsewhere in it than the device
  Network, ///< of a device: what the network gives it behind its ports
  Leaf,    ///< out of a leaf
  Pod,     ///< out of a pod
  Spine,   ///< the top of the fabric: of a site, or of all nodes
  Site     ///< out of a site
};

/// Whose algorithms and latencies collectives run with.
enum class CollectiveLibrary : std::uint8_t {
  ClosedForm, ///< textbook forms: a latency a message, bytes over the bandwidth
  Nccl        ///< NCCL and RCCL: protocols, pipelined trees and rings, in-switch reductions
};

enum class Algorithm : std::uint8_t {
#define ALGORITHM(ENUMERATOR, SPELLING, ROW) ENUMERATOR,
#include "ir/Algorithms.def"
};

/// What closed forms go with: the fastest of the library's, or a stated one wherever that does the
/// collective.
enum class AlgorithmChoice : std::uint8_t {
  Fastest,
#define ALGORITHM(ENUMERATOR, SPELLING, ROW) ENUMERATOR,
#include "ir/Algorithms.def"
};

constexpr std::size_t mostDimensions = 3; ///< of a torus

/// Devices of a scale-up domain in a grid whose rows close to rings: each has links to its
/// neighbours alone. Device d is at place d mod sizes[0] of the first dimension, and so on.
struct Torus {
  std::vector<std::uint64_t> sizes; ///< innermost first
  template <class V> void fields(V& v) { v("size", sizes); }
};

/// Of one group, along a dimension of a torus: so many ranks, each so many links from the next.
/// Groups that lie between send over the same links.
struct TorusRanks {
  std::uint64_t ranks = 1, apart = 1, size = 1; ///< size: of the dimension
  friend bool operator==(const TorusRanks&, const TorusRanks&) = default;
  template <class V> void fields(V& v) { v("ranks", ranks), v("apart", apart), v("size", size); }
};

/// Links of one class: `count` of them lead out of each unit that has them.
struct LinkType {
  LinkKind kind = LinkKind::ScaleUp;
  std::string pool;        ///< the nodes whose ports they are; "" is the nominal ones
  std::uint64_t count = 1; ///< of one unit, in each direction
  /// bits/s of one; 0 where a taper says it. Out of a leaf or pod: straight to another one, without
  /// a switch, and `count` are to as many others.
  std::uint64_t bandwidth = 0;
  std::uint64_t latency = 0; ///< ps a message
  double efficiency = 1;     ///< share of the bandwidth that large collectives reach
  double taper = 1;          ///< what enters the unit's links from inside over what they carry
  double inSwitch = 0;       ///< share of the bandwidth that reductions in the switch reach, or 0
  /// Links of a device to as many peers, without a switch: `bandwidth` is all of them. 0: a switch.
  std::uint64_t peerLinks = 0;
  /// What a path calls it: "port", of a part "old port".
  std::string displayName() const;
  /// Each two of the units that these lead out of have links of their own.
  bool isDirect() const {
    return (kind == LinkKind::Leaf || kind == LinkKind::Pod) && bandwidth > 0;
  }
  template <class V> void fields(V& v) {
    v("kind", kind), v("node_pool", pool), v("count", count), v("bandwidth", bandwidth);
    v("latency", latency), v("efficiency", efficiency), v("oversubscription", taper);
    v("sharp_efficiency", inSwitch), v("peer_links", peerLinks);
  }
};

/// What the groups of one kind put on the links of one class, of the first devices that share them.
struct LinkLoad {
  std::uint64_t ranks = 0;  ///< of one group, at most; 0: no group uses the class
  std::uint64_t groups = 0; ///< that have ranks there
  template <class V> void fields(V& v) { v("ranks", ranks), v("groups", groups); }
};

/// Which port each device of a node sends through. One that takes the port of another place reaches
/// it over the links of LinkKind::Host.
struct Affinity {
  std::vector<std::uint64_t> ports; ///< by device of a node
  template <class V> void fields(V& v) { v("port", ports); }
};

struct Network {
  /// Devices of a node as the file states it, which share its ports in order: with half as many
  /// ports, devices 0 and 1 have port 0. A layout may run on fewer of them.
  std::uint64_t nodeDevices = 0;
  AtMostOne<Affinity> affinity; ///< where devices do not take ports in order
  AtMostOne<Torus> torus;       ///< what scale-up links join; none: a switch, or peers
  std::vector<UnitKind> units; ///< innermost first: the scale-up domain, then those that are stated
  std::vector<LinkType> links;
  CollectiveLibrary library = CollectiveLibrary::ClosedForm;
  AlgorithmChoice algorithm = AlgorithmChoice::Fastest;
  /// The order in which rings go through as many devices, and on through the next ones alike;
  /// empty: that of the ranks.
  std::vector<std::uint64_t> order;
  bool pat = false; ///< the library has parallel aggregated trees
  std::uint64_t collectiveOverhead =
      0; ///< ps that a collective takes beyond what its library's own forms say
  /// Share of what the network gives collectives timed alone that those of a running step have.
  double inStep = 1;
  /// The first of its kind, null where there is none.
  const LinkType* find(LinkKind kind) const;
  /// Which of `ports` ports a device of a node sends through, and which stands in its place.
  std::uint64_t portAt(std::uint64_t device, std::uint64_t ports) const {
    return affinity.empty() ? device * ports / nodeDevices : affinity.front().ports[device];
  }
  /// Of the first devices of a node so many send over the host, and so many through the port that
  /// most have.
  std::uint64_t displaced(std::uint64_t devices, std::uint64_t ports) const;
  std::uint64_t mostPerPort(std::uint64_t devices, std::uint64_t ports) const;
  /// Nodes of one unit; 0 for a kind that is not stated.
  std::uint64_t nodesIn(Level level) const;

  template <class V> void fields(V& v) {
    v("node_devices", nodeDevices), v("nic_affinity", affinity), v("torus", torus),
        v("unit", units), v("link", links);
    v("library", library), v("algorithm", algorithm), v("order", order), v("pat", pat);
    v("overhead", collectiveOverhead), v("in_step_efficiency", inStep);
  }
};

} // namespace dpl::ir

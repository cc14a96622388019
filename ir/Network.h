#pragma once
//===- Network.h - The network as the file describes it ---------------------------------------===//
//
// A network has kinds of units and link types with counts; there is no object per device.
// linkLevels (ir/Cluster.h) derives the levels, which are the view of a group.
#include "ir/Basics.h"

namespace dpl::ir {

/// One kind of unit. Each consists of whole units of the kind before it.
struct UnitKind {
  Level level = Level::Node;
  std::uint64_t nodes = 1; ///< nodes in one unit
  template <class V> void fields(V& v) { v("level", level), v("nodes", nodes); }
};

enum class LinkKind : std::uint8_t {
  ScaleUp, ///< link of a device inside its domain
  Port,    ///< network port of a node
  Host,    ///< link of a node from devices to ports elsewhere in it
  Network, ///< bandwidth of a device in the network after its ports
  Leaf,    ///< link out of a leaf
  Pod,     ///< link out of a pod
  Spine,   ///< link at the top of the fabric of a site, or of all nodes
  Site     ///< link out of a site
};

/// The library whose algorithms and latencies collectives have.
enum class CollectiveLibrary : std::uint8_t {
  ClosedForm, ///< textbook forms: a latency per message, bytes over the bandwidth
  Nccl        ///< NCCL and RCCL: protocols, pipelined trees and rings, in-switch reductions
};

enum class Algorithm : std::uint8_t {
#define ALGORITHM(ENUMERATOR, SPELLING, ROW) ENUMERATOR,
#include "ir/Algorithms.def"
};

/// The algorithm of closed forms: the fastest one, or a given one for all collectives that have it.
enum class AlgorithmChoice : std::uint8_t {
  Fastest,
#define ALGORITHM(ENUMERATOR, SPELLING, ROW) ENUMERATOR,
#include "ir/Algorithms.def"
};

constexpr std::size_t mostDimensions = 3; ///< most dimensions of a torus

/// Devices of a scale-up domain in a torus: each has links to its neighbours only. Device d has
/// index d mod sizes[0] in the first dimension, and so on.
struct Torus {
  std::vector<std::uint64_t> sizes; ///< innermost first
  template <class V> void fields(V& v) { v("size", sizes); }
};

/// The ranks of one group along a dimension of a torus: their number and their distance in links.
/// If the ranks are several links apart, other groups have ranks between them and use the same
/// links.
struct TorusRanks {
  std::uint64_t ranks = 1, apart = 1, size = 1; ///< size: devices in the dimension
  friend bool operator==(const TorusRanks&, const TorusRanks&) = default;
  template <class V> void fields(V& v) { v("ranks", ranks), v("apart", apart), v("size", size); }
};

/// Links of one type: `count` of them lead out of each unit that has them.
struct LinkType {
  LinkKind kind = LinkKind::ScaleUp;
  std::string pool;        ///< node pool whose ports they are; "" for the nominal nodes
  std::uint64_t count = 1; ///< links per unit and direction
  /// bits/s of one link; 0 if `taper` sets it. For links out of a leaf or pod: direct links, of
  /// which `count` lead to as many other units.
  std::uint64_t bandwidth = 0;
  std::uint64_t latency = 0; ///< ps per message
  double efficiency = 1;     ///< share of the bandwidth that large collectives reach
  /// oversubscription: bandwidth that enters the unit's links from below, divided by the bandwidth
  /// of these links
  double taper = 1;
  double inSwitch = 0; ///< share of the bandwidth that in-switch reductions reach; 0 without them
  /// Links of a device to as many peers; `bandwidth` is their sum. 0: a switch.
  std::uint64_t peerLinks = 0;
  /// The name in paths: "port", for a node pool "old port".
  std::string displayName() const;
  /// Whether each two of these units have direct links.
  bool isDirect() const {
    return (kind == LinkKind::Leaf || kind == LinkKind::Pod) && bandwidth > 0;
  }
  template <class V> void fields(V& v) {
    v("kind", kind), v("node_pool", pool), v("count", count), v("bandwidth", bandwidth);
    v("latency", latency), v("efficiency", efficiency), v("oversubscription", taper);
    v("sharp_efficiency", inSwitch), v("peer_links", peerLinks);
  }
};

/// The load of the groups of one kind on the links of one type, counted on the first devices that
/// share such links.
struct LinkLoad {
  std::uint64_t ranks = 0;  ///< ranks of one group, at most; 0: no group uses the type
  std::uint64_t groups = 0; ///< groups with ranks on these devices
  template <class V> void fields(V& v) { v("ranks", ranks), v("groups", groups); }
};

/// The port of each device of a node. A device whose port belongs to another position reaches it
/// over the links of LinkKind::Host.
struct Affinity {
  std::vector<std::uint64_t> ports; ///< port of each device of a node
  template <class V> void fields(V& v) { v("port", ports); }
};

struct Network {
  /// Devices of a node in the file, which share its ports in order: with half as many ports,
  /// devices 0 and 1 share port 0. A layout may use fewer devices.
  std::uint64_t nodeDevices = 0;
  AtMostOne<Affinity> affinity; ///< empty if devices use ports in order
  AtMostOne<Torus> torus;       ///< topology of scale-up links; empty: a switch, or peers
  std::vector<UnitKind> units;  ///< innermost first: the scale-up domain, then those in the file
  std::vector<LinkType> links;
  CollectiveLibrary library = CollectiveLibrary::ClosedForm;
  AlgorithmChoice algorithm = AlgorithmChoice::Fastest;
  /// The order of devices in rings, repeated for further devices; empty: that of the ranks.
  std::vector<std::uint64_t> order;
  bool pat = false;                     ///< the library has PAT (parallel aggregated trees)
  std::uint64_t collectiveOverhead = 0; ///< ps per collective in addition to the library's formulas
  /// Share of the network performance of isolated collectives that collectives reach during a step.
  double inStep = 1;
  /// The first link type of this kind; null if there is none.
  const LinkType* find(LinkKind kind) const;
  /// The port, of `ports` ports, that a device of a node uses.
  std::uint64_t portAt(std::uint64_t device, std::uint64_t ports) const {
    return affinity.empty() ? device * ports / nodeDevices : affinity.front().ports[device];
  }
  /// Among the first `devices` devices of a node: the number that send over the host, and the
  /// largest number on one port.
  std::uint64_t displaced(std::uint64_t devices, std::uint64_t ports) const;
  std::uint64_t mostPerPort(std::uint64_t devices, std::uint64_t ports) const;
  /// Nodes of one unit; 0 for a kind that the file does not have.
  std::uint64_t nodesIn(Level level) const;

  template <class V> void fields(V& v) {
    v("node_devices", nodeDevices), v("nic_affinity", affinity), v("torus", torus),
        v("unit", units), v("link", links);
    v("library", library), v("algorithm", algorithm), v("order", order), v("pat", pat);
    v("overhead", collectiveOverhead), v("in_step_efficiency", inStep);
  }
};

} // namespace dpl::ir

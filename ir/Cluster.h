#pragma once
//===- Cluster.h - The machine: a tree of levels ----------------------------------------------===//
#include "ir/Jitter.h"
#include "ir/Network.h"
#include "support/OutOfLine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <optional>

namespace dpl::ir {

/// What joins a device with the memory of its host.
struct HostLink {
  std::uint64_t bandwidth = 0; ///< bits/s, one direction
  std::uint64_t memory = 0;    ///< bits/s of that memory for what the host updates of one device
  template <class V> void fields(V& v) {
    v("link_bandwidth", bandwidth), v("memory_bandwidth", memory);
  }
};

struct Device {
  std::string name;
  std::uint64_t memory = 0;               ///< usable bytes
  std::uint64_t reserved = 0;             ///< bytes outside the allocator, at least
  std::uint64_t context = 0;              ///< bytes of the driver and of loaded kernels
  std::uint64_t workspace = 0;            ///< bytes of matrix products, in the allocator
  std::uint64_t memoryBandwidth = 0;      ///< bits/s
  std::map<DataType, std::uint64_t> peak; ///< dense FLOP/s
  double sustainedMatmul = 1, sustainedAttention = 1, sustainedMemory = 1; ///< of peak, 0..1
  double sustainedLowPrecision =
      1; ///< as sustainedMatmul, for 8-bit and 4-bit products, of their own peak
  /// Of that, what products of gradients in fp8 reach; see cost/compute/OperatorTime.cpp.
  double sustainedFp8Gradients = 1;
  std::uint64_t efficiencyHalfSize =
      0;                     ///< a product dimension of so many elements runs at half rate
  double contention = 0;     ///< share of the compute rate lost while communication runs beside it
  std::uint64_t launch = 0;  ///< ps for one kernel
  bool launchBlocks = false; ///< the host waits for each kernel; of a layout, no part of the plan
  double speed = 1;          ///< relative to nominal
  double computeCapability = 0;               ///< NVIDIA's; 0: another maker's, or not stated
  std::optional<double> busyPower, idlePower; ///< W
  AtMostOne<HostLink> hostLink;

  /// Peak of a data type, or of the nearest wider one that the device has; 0 when it has none.
  std::uint64_t peakOf(DataType t) const;
  /// The type whose peak that is; fp32 when it has none.
  DataType computesIn(DataType t) const;

  template <class V> void fields(V& v) {
    v("name", name), v("memory", memory), v("non_tensor_memory", reserved),
        v("cuda_context", context);
    v("workspace", workspace);
    v("memory_bandwidth", memoryBandwidth), v("peak", peak), v("sustained_matmul", sustainedMatmul);
    v("sustained_attention", sustainedAttention), v("sustained_memory", sustainedMemory);
    v("sustained_low_precision", sustainedLowPrecision),
        v("sustained_fp8_gradients", sustainedFp8Gradients);
    v("efficiency_half_size", efficiencyHalfSize), v("contention", contention);
    v("launch_overhead", launch), v("speed", speed), v("compute_capability", computeCapability);
    v("busy_power", busyPower), v("idle_power", idlePower);
    v("host_link", hostLink);
  }
};

/// One level of the tree above the device, a view of the network. A group that spans it sends over
/// its links.
struct LinkLevel {
  Level level = Level::Node;
  std::uint64_t devices = 0;   ///< devices in one unit of this level
  std::uint64_t bandwidth = 0; ///< bits/s a device and direction for traffic inside one unit
  std::uint64_t latency = 0;   ///< ps a message
  double efficiency = 1;       ///< share of the bandwidth that large collectives reach
  double oversubscription = 1; ///< taper met by traffic that crosses between the units below
  double inSwitch = 0;         ///< share of the bandwidth that reductions in the switch reach, or 0
  std::uint64_t peerLinks = 0; ///< of a device, to as many peers; 0: a switch joins all
  CollectiveLibrary library = CollectiveLibrary::ClosedForm; ///< as Network says
  AlgorithmChoice algorithm = AlgorithmChoice::Fastest;
  bool pat = false;
  std::uint64_t collectiveOverhead = 0;
  double inStep = 1; ///< of scale-up links 1
  /// As the taper, of links between two of the units below, each two of which have their own, while
  /// all devices of one send to the other; 0: a switch joins them.
  double pair = 0;
  /// As the taper, of such links inside the units below, on the way to those that lead out, and how
  /// many units they join there.
  double within = 1;
  std::uint64_t joined = 1;
  /// Network channels that NCCL makes for one device: its ports, at most one. 0: a scale-up level.
  double channels = 0;
  double computeCapability = 0; ///< the lowest of the devices, as Device has it

  template <class V> void fields(V& v) {
    v("level", level), v("devices", devices), v("bandwidth", bandwidth), v("latency", latency);
    v("efficiency", efficiency), v("oversubscription", oversubscription);
    v("sharp_efficiency", inSwitch), v("peer_links", peerLinks), v("library", library);
    v("algorithm", algorithm), v("pat", pat), v("overhead", collectiveOverhead);
    v("in_step_efficiency", inStep), v("pair", pair), v("within", within),
        v("direct_links", joined);
    v("channels", channels), v("compute_capability", computeCapability);
  }
  /// Inside a scale-up domain; the other levels are of the network.
  bool isScaleUp() const { return level <= Level::Domain; }
  /// What traffic to one other unit meets.
  double taper() const { return std::max({oversubscription, pair, within}); }
  /// What traffic to so many others at once, to each alike, meets.
  double taperTo(std::uint64_t units) const;
  friend bool operator==(const LinkLevel&, const LinkLevel&) = default;
};

/// Nodes that differ from the rest, as `node_pool["slow"]` says.
struct NodeType {
  std::string name; ///< "" is the rest
  std::uint64_t nodes = 0;
  Device device;
  std::uint64_t ports = 0;            ///< their class of links, by index into Network::links
  std::optional<double> pricePerHour; ///< dollars of one device
  /// Bytes of host memory of a node, if it differs from the cluster's other nodes.
  std::optional<std::uint64_t> hostMemory;
  /// Hardware threads of a node, if they differ from those of the cluster's other nodes.
  std::optional<std::uint64_t> cpus;
  /// What a path or a screen calls it: "nominal" is the rest.
  std::string displayName() const { return name.empty() ? "nominal" : name; }
  /// Where the file sets its fields, as messages call it: "`node_pool["slow"]`".
  std::string fieldLocation() const {
    return name.empty() ? "the cluster" : "`node_pool[\"" + name + "\"]`";
  }
  template <class V> void fields(V& v) {
    v("name", name), v("nodes", nodes), v("ports", ports), v("device", device);
    v("price_per_hour", pricePerHour), v("host_memory", hostMemory), v("cpus", cpus);
  }
};

/// Failures a second; `stated` where the file says any.
struct FailureRates {
  bool stated = false;
  double gpu = 0, nic = 0, node = 0; ///< of one device, port, node
  std::uint64_t restart = 0;         ///< ps, without reading a checkpoint
  template <class V> void fields(V& v) {
    v("stated", stated), v("gpu", gpu), v("nic", nic), v("node", node), v("restart", restart);
  }
};

/// What `failures` says beyond them; times in ps.
struct FailureDetails {
  double link = 0, leaf = 0, storage = 0; ///< of the cable of a port, a leaf's switch, all storage
  double slow = 0, slowdown = 1;          ///< of one device that gets slow, and by how much
  std::uint64_t slowDetection = 0;        ///< until it is found
  std::uint64_t detection = 0;            ///< until a failure is noticed
  std::uint64_t repair = 0; ///< that a node is away; 0: another one takes its place at once
  template <class V> void fields(V& v) {
    v("link", link), v("leaf", leaf), v("storage", storage), v("fail_slow", slow);
    v("slowdown", slowdown), v("fail_slow_detection", slowDetection), v("detection", detection);
    v("repair", repair);
  }
};

/// A host, port or bus that devices share: bytes/s that it carries, and that a device would move
/// over it while it computes; flows that one has on it while it is communicating.
struct SharedBus {
  double bandwidth = 0, computing = 0, communicating = 0;
  template <class V> void fields(V& v) {
    v("bandwidth", bandwidth), v("compute_bandwidth", computing), v("communicating", communicating);
  }
};

/// What devices share of which some compute and some communicate.
struct Coupling {
  double factor = 1; ///< of the time of a device while another one communicates; without a bus
  Level within = Level::Node;
  AtMostOne<SharedBus> bus; ///< from whose flows the factor follows
  template <class V> void fields(V& v) { v("slowdown", factor), v("level", within), v("bus", bus); }
};

/// What brings the samples of a step to the data ranks.
struct Loading {
  double workers = 1;         ///< of a device
  std::uint64_t time = 0;     ///< ps that one takes for a sample
  std::uint64_t bytes = 0;    ///< of a sample, read from the storage that all share
  std::uint64_t prefetch = 1; ///< steps whose samples a data rank may have ready
  Jitter jitter;              ///< of what the samples of a data rank take in a step
  template <class V> void fields(V& v) {
    v("workers", workers), v("sample_time", time), v("sample_bytes", bytes),
        v("prefetch", prefetch);
    v("jitter", jitter);
  }
};

/// How late messages are, each by itself.
struct MessageDelay {
  std::uint64_t mean = 0; ///< ps
  Jitter jitter;          ///< of the delay over its mean
  template <class V> void fields(V& v) { v("mean", mean), v("jitter", jitter); }
};

/// How the rates of the network's links vary, each by itself.
struct LinkJitter {
  Jitter jitter;           ///< of the time that a link takes for bytes, over its mean
  std::uint64_t every = 0; ///< ps that it keeps its rate for; 0: a step
  template <class V> void fields(V& v) { v("jitter", jitter), v("interval", every); }
};

struct Cluster {
  DPL_SPECIAL_MEMBERS(Cluster);
  std::string name;
  std::uint64_t nodes = 0, gpusPerNode = 0;
  std::vector<NodeType> nodeTypes; ///< counts add up to `nodes`; the nominal class first
  Network network;
  /// linkLevels(*this): innermost first, strictly growing `devices`; the last holds all.
  std::vector<LinkLevel> levels;
  std::uint64_t cpusPerNode = 0, hostMemory = 0; ///< hardware threads; bytes a node; 0 is not given
  Jitter jitter;
  std::optional<double> energyPrice; ///< dollars a joule
  FailureRates failures;
  AtMostOne<FailureDetails> failureDetails;
  AtMostOne<Coupling> coupling;
  AtMostOne<Loading> loading;
  AtMostOne<MessageDelay> delay;
  AtMostOne<LinkJitter> linkJitter;
  std::uint64_t storageWrite = 0, storageRead = 0; ///< bits/s of all together; 0 is not given
  /// Devices that the layout leaves out (take-devices); nothing above counts them. The power that
  /// they take together, W, and their price, dollars an hour, where all of them have one.
  std::uint64_t idleDevices = 0;
  std::optional<double> idlePower, idlePricePerHour;

  std::uint64_t devices() const { return nodes * gpusPerNode; }
  const Device& device() const { return nodeTypes.front().device; }
  /// The innermost level whose unit holds `span` consecutive devices that start at a multiple of
  /// it.
  const LinkLevel& levelOf(std::uint64_t span) const;
  /// Devices in one unit of a level, or all where one unit holds them; devices() for a level the
  /// cluster does not state.
  std::uint64_t devicesIn(Level l) const;

  template <class V> void fields(V& v) {
    v("name", name), v("nodes", nodes), v("gpus_per_node", gpusPerNode), v("node_type", nodeTypes);
    v("network", network), v("level", levels);
    v("cpus_per_node", cpusPerNode), v("host_memory", hostMemory);
    v("jitter", jitter), v("energy_price", energyPrice), v("failures", failures);
    v("other_failures", failureDetails), v("interference", coupling);
    v("data_loading", loading), v("message_delay", delay), v("link_jitter", linkJitter);
    v("storage_write", storageWrite), v("storage_read", storageRead);
    v("idle_devices", idleDevices), v("idle_power", idlePower);
    v("idle_price_per_hour", idlePricePerHour);
  }
};

/// The levels of the cluster's network, as the fastest ports see them. Who changes the network or
/// the counts of a cluster sets `levels` to them.
std::vector<LinkLevel> linkLevels(const Cluster& cluster);
using LinkLevels = llvm::SmallVector<LinkLevel, linkLevelCount>;
/// The same levels, as the slowest ports of these classes of nodes see them.
LinkLevels linkLevels(const Cluster& cluster, llvm::ArrayRef<std::uint64_t> classes);

} // namespace dpl::ir

#pragma once
//===- Cluster.h - The cluster: a tree of levels ----------------------------------------------===//
#include "ir/Jitter.h"
#include "ir/Network.h"
#include "support/OutOfLine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <optional>

namespace dpl::ir {

/// The link between a device and the memory of its host.
struct HostLink {
  std::uint64_t bandwidth = 0; ///< bits/s, one direction
  std::uint64_t memory = 0; ///< bits/s of host memory for the host's update of one device's state
  template <class V> void fields(V& v) {
    v("link_bandwidth", bandwidth), v("memory_bandwidth", memory);
  }
};

struct Device {
  std::string name;
  std::uint64_t memory = 0;    ///< usable bytes
  std::uint64_t reserved = 0;  ///< least bytes of the CUDA context, communicators and free blocks
  std::uint64_t context = 0;   ///< bytes of the CUDA context and loaded kernels
  std::uint64_t workspace = 0; ///< bytes of GEMM workspaces in the allocator
  std::uint64_t memoryBandwidth = 0;                                       ///< bits/s
  std::map<DataType, std::uint64_t> peak;                                  ///< dense FLOP/s
  double sustainedMatmul = 1, sustainedAttention = 1, sustainedMemory = 1; ///< shares of the peak
  double sustainedLowPrecision =
      1; ///< share of their own peak that 8-bit and 4-bit GEMMs sustain, 0..1
  /// Fraction of sustainedLowPrecision that fp8 gradient GEMMs reach; see
  /// cost/compute/OperatorTime.cpp.
  double sustainedFp8Gradients = 1;
  std::uint64_t efficiencyHalfSize =
      0;                    ///< a GEMM with one dimension of this size runs at half rate
  double contention = 0;    ///< share of the compute rate lost to overlapped communication
  std::uint64_t launch = 0; ///< ps per kernel launch
  /// The host waits for each kernel; set from the layout, not part of the plan.
  bool launchBlocks = false;
  double speed = 1;             ///< relative to nominal
  double computeCapability = 0; ///< NVIDIA compute capability; 0 for other vendors or if not set
  std::optional<double> busyPower, idlePower; ///< W
  AtMostOne<HostLink> hostLink;

  /// Peak of a data type, or of the nearest wider one that the device has; 0 if it has none.
  std::uint64_t peakOf(DataType t) const;
  /// The type that `peakOf` uses; fp32 if there is none.
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

/// One level of the tree above the device, a view of the network. A group that spans the level uses
/// its links.
struct LinkLevel {
  Level level = Level::Node;
  std::uint64_t devices = 0;   ///< devices in one unit of this level
  std::uint64_t bandwidth = 0; ///< bits/s per device and direction for traffic inside one unit
  std::uint64_t latency = 0;   ///< ps per message
  double efficiency = 1;       ///< share of the bandwidth that large collectives reach
  /// Oversubscription for traffic between the units of the next lower level.
  double oversubscription = 1;
  double inSwitch = 0; ///< share of the bandwidth that in-switch reductions reach; 0 without them
  std::uint64_t peerLinks = 0; ///< links of a device to as many peers; 0: a switch connects all
  CollectiveLibrary library = CollectiveLibrary::ClosedForm; ///< Network::library
  AlgorithmChoice algorithm = AlgorithmChoice::Fastest;
  bool pat = false;
  std::uint64_t collectiveOverhead = 0;
  double inStep = 1; ///< Network::inStep; 1 for scale-up links
  /// Like `oversubscription`, for direct links between every two units of the next lower level, if
  /// all devices of one unit send to the other; 0: a switch connects them.
  double pair = 0;
  /// Like `oversubscription`, for direct links inside the units of the next lower level, on the way
  /// to the links that lead out; `joined` is the number of inner units that these links connect.
  double within = 1;
  std::uint64_t joined = 1;
  /// NCCL network channels per device: its ports, at most one; 0 for a scale-up level.
  double channels = 0;
  double computeCapability = 0; ///< lowest one of the devices, as in Device

  template <class V> void fields(V& v) {
    v("level", level), v("devices", devices), v("bandwidth", bandwidth), v("latency", latency);
    v("efficiency", efficiency), v("oversubscription", oversubscription);
    v("sharp_efficiency", inSwitch), v("peer_links", peerLinks), v("library", library);
    v("algorithm", algorithm), v("pat", pat), v("overhead", collectiveOverhead);
    v("in_step_efficiency", inStep), v("pair", pair), v("within", within),
        v("direct_links", joined);
    v("channels", channels), v("compute_capability", computeCapability);
  }
  /// Whether the level is inside a scale-up domain; other levels are network levels.
  bool isScaleUp() const { return level <= Level::Domain; }
  /// The oversubscription of traffic to one other unit.
  double taper() const { return std::max({oversubscription, pair, within}); }
  /// The oversubscription of traffic to `units` other units at once, in equal parts.
  double taperTo(std::uint64_t units) const;
  friend bool operator==(const LinkLevel&, const LinkLevel&) = default;
};

/// Nodes of one type: those of a pool such as `node_pool["slow"]`, or the rest.
struct NodeType {
  std::string name; ///< "" for the rest
  std::uint64_t nodes = 0;
  Device device;
  std::uint64_t ports = 0;            ///< link type of their ports, an index into Network::links
  std::optional<double> pricePerHour; ///< dollars per hour and device
  /// Bytes of host memory of a node, if it differs from the cluster's other nodes.
  std::optional<std::uint64_t> hostMemory;
  /// Hardware threads of a node, if they differ from those of the cluster's other nodes.
  std::optional<std::uint64_t> cpus;
  /// The name in paths and on screens: "nominal" for the rest.
  std::string displayName() const { return name.empty() ? "nominal" : name; }
  /// The block that sets its fields, for messages: "`node_pool["slow"]`".
  std::string fieldLocation() const {
    return name.empty() ? "the cluster" : "`node_pool[\"" + name + "\"]`";
  }
  template <class V> void fields(V& v) {
    v("name", name), v("nodes", nodes), v("ports", ports), v("device", device);
    v("price_per_hour", pricePerHour), v("host_memory", hostMemory), v("cpus", cpus);
  }
};

/// Failures per second; `stated` if the file sets any rate.
struct FailureRates {
  bool stated = false;
  double gpu = 0, nic = 0, node = 0; ///< per device, per port, per node
  std::uint64_t restart = 0;         ///< ps to restart, without reading a checkpoint
  template <class V> void fields(V& v) {
    v("stated", stated), v("gpu", gpu), v("nic", nic), v("node", node), v("restart", restart);
  }
};

/// A node that is slower during part of each run; times in ps since the run's start.
struct Degradation {
  std::uint64_t index = 0; ///< in the file
  std::uint64_t begin = 0;
  std::uint64_t end = 0; ///< 0: the end of the run
  std::uint64_t node = 0;
  double speed = 1, bandwidth = 1; ///< factors for its devices and for its ports
  template <class V> void fields(V& v) {
    v("index", index), v("begin", begin), v("end", end), v("node", node), v("speed", speed);
    v("bandwidth", bandwidth);
  }
};

/// The other fields of `failures`; times in ps.
struct FailureDetails {
  double link = 0, leaf = 0, storage = 0; ///< per port cable, per leaf switch, for all storage
  double slow = 0, slowdown = 1;          ///< rate per device of becoming slow, and the slowdown
  std::uint64_t slowDetection = 0;        ///< time until a slow device is found
  std::uint64_t detection = 0;            ///< time until a failure is noticed
  std::uint64_t repair = 0; ///< time that a node is missing; 0: a spare replaces it at once
  double shape = 1; ///< Weibull shape of the times between failures of a run; 1: exponential
  std::vector<Degradation> degradations;
  template <class V> void fields(V& v) {
    v("link", link), v("leaf", leaf), v("storage", storage), v("fail_slow", slow);
    v("slowdown", slowdown), v("fail_slow_detection", slowDetection), v("detection", detection);
    v("repair", repair), v("shape", shape), v("degradation", degradations);
  }
};

/// A host, port or bus that devices share: its bytes/s, the bytes/s that a computing device would
/// move over it, and the number of flows of a communicating device on it.
struct SharedBus {
  double bandwidth = 0, computing = 0, communicating = 0;
  template <class V> void fields(V& v) {
    v("bandwidth", bandwidth), v("compute_bandwidth", computing), v("communicating", communicating);
  }
};

/// Resources that computing and communicating devices share.
struct Coupling {
  double factor = 1; ///< slowdown of a device while another one communicates; used without a bus
  Level within = Level::Node;
  AtMostOne<SharedBus> bus; ///< if given, the slowdown follows from the flows on this bus
  template <class V> void fields(V& v) { v("slowdown", factor), v("level", within), v("bus", bus); }
};

/// The data loading of a step.
struct Loading {
  double workers = 1;         ///< loader processes per device
  std::uint64_t time = 0;     ///< ps per sample and worker
  std::uint64_t bytes = 0;    ///< bytes per sample, read from shared storage
  std::uint64_t prefetch = 1; ///< steps whose samples a data rank may have ready
  Jitter jitter;              ///< variation of the time of a data rank's samples per step
  template <class V> void fields(V& v) {
    v("workers", workers), v("sample_time", time), v("sample_bytes", bytes),
        v("prefetch", prefetch);
    v("jitter", jitter);
  }
};

/// The delay of messages, each drawn independently.
struct MessageDelay {
  std::uint64_t mean = 0; ///< ps per message
  Jitter jitter;          ///< jitter of the delay, relative to its mean
  template <class V> void fields(V& v) { v("mean", mean), v("jitter", jitter); }
};

/// The variation of the rates of network links, each drawn independently.
struct LinkJitter {
  Jitter jitter;           ///< jitter of the time per byte, relative to its mean
  std::uint64_t every = 0; ///< ps between draws; 0: one draw per step
  template <class V> void fields(V& v) { v("jitter", jitter), v("interval", every); }
};

struct Cluster {
  DPL_SPECIAL_MEMBERS(Cluster);
  std::string name;
  std::uint64_t nodes = 0, gpusPerNode = 0;
  std::vector<NodeType> nodeTypes; ///< counts add up to `nodes`; the nominal type first
  Network network;
  /// linkLevels(*this): innermost first, strictly growing `devices`; the last contains all.
  std::vector<LinkLevel> levels;
  std::uint64_t cpusPerNode = 0, hostMemory = 0; ///< hardware threads; bytes per node; 0 if not set
  Jitter jitter;
  std::optional<double> energyPrice; ///< dollars per joule
  FailureRates failures;
  AtMostOne<FailureDetails> failureDetails;
  AtMostOne<Coupling> coupling;
  AtMostOne<Loading> loading;
  AtMostOne<MessageDelay> delay;
  AtMostOne<LinkJitter> linkJitter;
  std::uint64_t storageWrite = 0, storageRead = 0; ///< bits/s of all nodes together; 0 if not set
  /// Devices that the layout does not use (take-devices); the counts above exclude them. Their
  /// total power in W, and their total price in dollars per hour if all of them have one.
  std::uint64_t idleDevices = 0;
  std::optional<double> idlePower, idlePricePerHour;

  std::uint64_t devices() const { return nodes * gpusPerNode; }
  const Device& device() const { return nodeTypes.front().device; }
  /// The innermost level whose unit contains `span` consecutive devices that start at a multiple of
  /// `span`.
  const LinkLevel& levelOf(std::uint64_t span) const;
  /// Devices in one unit of a level, or all devices if one unit contains them; devices() for a
  /// level that the cluster does not have.
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

/// The levels of the cluster's network for its fastest ports. Code that changes the network or the
/// counts of a cluster has to set `levels` again.
std::vector<LinkLevel> linkLevels(const Cluster& cluster);
using LinkLevels = llvm::SmallVector<LinkLevel, linkLevelCount>;
/// The levels of the cluster's network for the slowest ports of these node types.
LinkLevels linkLevels(const Cluster& cluster, llvm::ArrayRef<std::uint64_t> classes);

} // namespace dpl::ir

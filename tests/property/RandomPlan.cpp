//===- RandomPlan.cpp - Legal plans of every sort, from a seed --------------------------------===//
#include "tests/property/RandomPlan.h"
#include "cost/Legality.h"
#include "ir/Names.h"
#include "tests/unit/Jitters.h"
#include <cstdlib>
#include <numeric>

using namespace dpl;
using namespace dpl::test;
using namespace dpl::ir;

std::uint64_t Random::next() {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::between(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) / 9007199254740992.0;
}

namespace {
/// Degrees are drawn first and everything else is made to divide by them.
class Maker {
public:
  explicit Maker(std::uint64_t seed) : random(seed), facts(~seed), later(seed + (~seed >> 1)) {}

  Plan make() {
    plan.name = plan.layout.name = "random";
    plan.file = "random.dpl";
    listed = random.oneIn(8);
    pipeline = random.size({1, 1, 2, 2, 3, 4});
    tensor = listed ? 1 : random.size({1, 2, 2, 4, 8});
    context = listed ? 1 : random.size({1, 1, 1, 2, 4});
    data = random.size({1, 2, 2, 3, 4, 8});
    replica = random.oneIn(5) ? 2 : 1;
    cluster();
    schedule();
    if (listed)
      layerList();
    else
      transformer();
    mesh();
    split();
    layout();
    if (expert > 0)
      dispatch();
    return std::move(plan);
  }

private:
  std::uint64_t devices() const { return replica * pipeline * data * context * tensor; }

  // ---- the machine

  void cluster() {
    Cluster& c = plan.cluster;
    c.name = "machine";
    c.gpusPerNode = std::gcd(devices(), random.size({1, 2, 4, 8, 8, 8}));
    c.nodes = devices() / c.gpusPerNode;
    NodeClass nominal;
    nominal.nodes = c.nodes;
    device(nominal.device);
    c.classes = {nominal};
    if (c.nodes > 1 && random.oneIn(4)) {
      NodeClass other = nominal;
      other.name = "other";
      other.nodes = 1 + random.below(c.nodes - 1);
      other.device.speed = random.between(0.5, 1);
      c.classes[0].nodes -= other.nodes;
      c.classes.push_back(other);
    }
    links();
    if (random.oneIn(8))
      c.jitter = test::jitter(facts.pick({JitterKind::LogNormal, JitterKind::LogNormal,
                                          JitterKind::Gamma, JitterKind::Exponential}),
                              0.05);
    if (c.jitter.kind == JitterKind::LogNormal && facts.oneIn(3))
      c.jitter.node = 0.5;
  }

  void device(Device& d) {
    d.name = "device";
    d.memory = std::uint64_t{1} << 50;
    d.hostLink = {{63'000'000'000ULL * 8, 77'000'000'000ULL * 8}};
    d.memoryBandwidth = random.size({16, 27, 64}) * 1'000'000'000'000;
    const std::uint64_t peak = random.size({125, 312, 989, 2500}) * 1'000'000'000'000;
    d.peak[DataType::BF16] = peak;
    if (random.oneIn(2))
      d.peak[DataType::FP8] = 2 * peak;
    d.sustainedMatmul = random.between(0.5, 0.9), d.sustainedNarrow = random.between(0.4, 0.8);
    d.sustainedAttention = random.between(0.3, 0.7);
    d.sustainedMemory = random.between(0.6, 0.95);
    d.saturation = random.size({0, 64, 128, 256});
    d.contention = random.oneIn(3) ? 0 : random.between(0, 0.2);
    d.launch = random.size({0, 2, 5, 10, 40}) * 1'000'000;
    d.speed = random.oneIn(3) ? random.between(0.5, 1) : 1;
  }

  void links() {
    Cluster& c = plan.cluster;
    Network& n = c.network;
    n.nodeDevices = c.gpusPerNode;
    n.units = {{Level::Node, 1}};
    n.links = {link(LinkKind::ScaleUp, {600, 3600, 7200})};
    if (random.oneIn(4))
      n.links.back().bandwidth /= 2;
    if (c.nodes % 2 == 0 && random.oneIn(3)) {
      n.units.push_back({Level::Leaf, 2});
      n.links.push_back(tapered(LinkKind::Leaf));
    }
    LinkClass network = n.links.front(); // which one node never uses
    if (c.nodes > 1) {
      network = link(LinkKind::Network, {50, 100, 200, 400});
      n.links.push_back(tapered(LinkKind::Spine));
    }
    network.kind = LinkKind::Network, n.links.push_back(network);
    network.kind = LinkKind::Port, network.count = c.gpusPerNode, n.links.push_back(network);
    for (NodeClass& nodes : c.classes)
      nodes.ports = n.links.size() - 1;
    if (c.classes.size() > 1 && random.oneIn(2))
      ownPorts(c.classes.back());
    if (!random.oneIn(4)) {
      n.library = CollectiveLibrary::Nccl;
      n.call = random.size({0, 0, 25}) * 1'000'000;
      n.inStep = random.oneIn(2) ? 0.65 : 1;
      n.links.front().inSwitch = random.oneIn(2) ? random.between(0.4, 0.7) : 0;
    } else if (facts.oneIn(3)) {
      n.algorithm = facts.pick({AlgorithmChoice::Ring, AlgorithmChoice::Hierarchical,
                                AlgorithmChoice::Tree, AlgorithmChoice::HalvingDoubling});
    }
    if (c.nodes > 1 && later.oneIn(5)) {
      n.affinity = {{}};
      for (std::uint64_t device = 0; device < c.gpusPerNode; ++device)
        n.affinity.front().ports.push_back(later.below(c.gpusPerNode));
      LinkClass host;
      host.kind = LinkKind::Host, host.bandwidth = later.size({200, 800}) * 1'000'000'000;
      n.links.push_back(host);
    }
    if (n.links.front().inSwitch == 0 && random.oneIn(6))
      n.links.front().peerLinks = random.size({3, 7});
    c.levels = linkLevels(c);
  }
  void ownPorts(NodeClass& nodes) {
    LinkClass own = plan.cluster.network.links.back();
    own.part = nodes.name;
    own.bandwidth = own.bandwidth / 4 * random.size({1, 2, 8});
    own.latency += random.size({0, 3}) * 1'000'000;
    nodes.ports = plan.cluster.network.links.size();
    plan.cluster.network.links.push_back(own);
  }
  LinkClass link(LinkKind kind, std::initializer_list<int> gigabits) {
    LinkClass l;
    l.kind = kind, l.bandwidth = random.size(gigabits) * 1'000'000'000;
    l.latency = random.size({0, 1, 5, 20}) * 1'000'000;
    l.efficiency = random.between(0.5, 1);
    return l;
  }
  LinkClass tapered(LinkKind kind) {
    LinkClass l;
    l.kind = kind, l.taper = random.oneIn(4) ? 2 : 1;
    return l;
  }

  // ---- the model

  Attention attention() {
    Attention a;
    a.heads = tensor * random.size({1, 2, 4});
    a.causal = !random.oneIn(6);
    if (random.oneIn(4)) {
      a.kind = AttentionKind::Latent;
      a.queryRank = random.size({0, 256}), a.kvRank = 128;
      a.nope = 64, a.rope = 32, a.value = 64;
      return a;
    }
    a.headDim = random.size({64, 128});
    // A divisor or a multiple of the tensor degree that divides the heads.
    a.kvHeads = random.oneIn(3) ? std::gcd(a.heads, random.size({1, 2, 4})) : a.heads;
    if (a.kvHeads % tensor != 0 && tensor % a.kvHeads != 0)
      a.kvHeads = 1;
    a.window = random.oneIn(6) ? plan.model.context / 2 : 0;
    a.sinks = facts.oneIn(8), a.softcap = facts.oneIn(8) ? 50 : 0;
    a.base = facts.oneIn(8) ? 10'000 : 0, a.scale = facts.oneIn(8) ? 0.0625 : 0;
    return a;
  }

  LayerClass dense(const char* name) {
    LayerClass c;
    c.name = name;
    c.attention = attention();
    c.feedForward.width = tensor * 64 * random.size({4, 16, 56});
    c.feedForward.gated = random.oneIn(2);
    c.feedForward.kind = c.feedForward.gated ? FeedForwardKind::Gated : FeedForwardKind::Plain;
    c.feedForward.activation =
        facts.pick({Activation::Silu, Activation::Gelu, Activation::SquaredRelu});
    if (random.oneIn(10))
      c.attention.kind = AttentionKind::None;
    return c;
  }

  LayerClass routed() {
    LayerClass c = dense("routed");
    FeedForward& f = c.feedForward;
    f.kind = FeedForwardKind::Experts;
    f.experts = expert * random.size({1, 2, 4});
    f.active = 1 + random.below(std::min<std::uint64_t>(f.experts, 4));
    f.shared = random.below(2), f.sharedWidth = f.shared * tensor * 128;
    f.imbalance = facts.oneIn(4) ? 1.5 : 1;
    f.router.score = facts.pick({RouterScore::Softmax, RouterScore::Sigmoid});
    f.router.balance = facts.pick({Balance::Unsaid, Balance::Auxiliary, Balance::Sequence});
    f.router.coefficient = 0.001, f.router.biasRate = facts.oneIn(2) ? 0.001 : 0;
    return c;
  }

  void transformer() {
    Model& m = plan.model;
    m.name = "model";
    m.kind = random.oneIn(6) ? "encoder" : "decoder";
    m.hidden = 128 * random.size({4, 8, 16, 40}), m.vocab = random.size({1000, 32000, 50257});
    m.context = 2 * context * tensor * random.size({32, 128, 256});
    m.norm = random.oneIn(2) ? NormKind::Rms : NormKind::Layer;
    m.positions = random.pick({PositionKind::Rotary, PositionKind::Learned, PositionKind::None});
    m.tiedEmbeddings = random.oneIn(3), m.bias = random.oneIn(3), m.qkvBias = m.bias;
    if (random.oneIn(4))
      m.qkNorm = facts.pick({QkNorm::Head, QkNorm::EachHead, QkNorm::Projection, QkNorm::L2});
    m.postNorms = facts.oneIn(8);
    m.normEpsilon = facts.oneIn(2) ? 1e-5 : 1e-6, m.normCentered = facts.oneIn(8);
    m.rotary.base = facts.oneIn(2) ? 10'000 : 500'000;
    m.rotary.scaling.kind = facts.pick({RotaryScalingKind::None, RotaryScalingKind::Yarn});
    m.tokenTypes = m.kind == "encoder" ? 2 : 0, m.headTransform = m.kind == "encoder";
    const std::uint64_t layers = pipeline * chunks * (1 + random.below(4));
    m.classes = {dense("dense")};
    m.runs = {{0, layers}};
    if (random.oneIn(3)) {
      const std::uint64_t stage = data * context * tensor;
      expert = std::gcd(stage, random.size({1, 2, 4, 8}));
      expertTensor = std::gcd(stage / expert, random.size({1, 1, tensor > 1 ? 2 : 1}));
      m.classes.push_back(routed());
      m.classes[1].feedForward.width *= expertTensor;
      const std::uint64_t first = random.below(layers);
      m.runs = {{0, first}, {1, layers - first}};
      if (first == 0)
        m.runs.erase(m.runs.begin());
    } else if (layers > 1 && random.oneIn(4)) {
      m.classes.push_back(dense("other"));
      m.runs = {{0, layers / 2}, {1, layers - layers / 2}};
    }
    if (m.kind == "decoder" && random.oneIn(8))
      m.predictionLayers = 1;
    const auto isRouted = [](const LayerClass& c) {
      return c.feedForward.kind == FeedForwardKind::Experts;
    };
    if (std::none_of(m.classes.begin(), m.classes.end(), isRouted) && facts.oneIn(6))
      m.parallelNorms = 1 + facts.below(2);
    m.hiddenDropout = facts.oneIn(6) ? 0.1 : 0, m.attentionDropout = facts.oneIn(6) ? 0.1 : 0;
  }

  void layerList() {
    Model& m = plan.model;
    m.name = "model", m.kind = "layer_list";
    const std::uint64_t layers = pipeline * chunks * (1 + random.below(3));
    for (std::uint64_t i = 0; i < layers; ++i) {
      LayerClass c;
      c.name = "layer" + std::to_string(i);
      c.attention.kind = AttentionKind::None, c.feedForward.kind = FeedForwardKind::None;
      c.listedParameters = random.below(5'000'000), c.listedForwardFlop = random.below(500'000'000);
      c.listedOutput = 1 + random.below(800'000), c.listedRead = random.below(800'000);
      if (facts.oneIn(3))
        c.stated = {.times = true,
                    .forward = facts.below(1'000'000'000),
                    .backward = facts.below(2'000'000'000),
                    .weight = facts.below(1'000'000'000),
                    .keeps = facts.oneIn(2),
                    .sends = facts.oneIn(2),
                    .kept = facts.below(10'000'000),
                    .message = facts.below(10'000'000),
                    .tensor = {}};
      m.classes.push_back(c);
      m.runs.push_back({i, 1});
    }
  }

  // ---- the layout

  void schedule() {
    Layout& l = plan.layout;
    do
      l.schedule = static_cast<ScheduleKind>(random.below(namesOf(ScheduleKind{}).size()));
    while (l.schedule == ScheduleKind::Listed);
    chunks = chunksOf(l.schedule);
    const bool odd = l.schedule == ScheduleKind::DualPipe && pipeline % 2 == 1;
    const bool versions = l.schedule == ScheduleKind::PipeDream;
    if ((chunks != 1 && pipeline == 1) || odd || (versions && pipeline == 1))
      l.schedule = ScheduleKind::OneForwardOneBackward, chunks = 1;
    if (chunks == 0)
      chunks = random.size({2, 3});
    if (l.schedule == ScheduleKind::ZeroBubbleAutomatic)
      l.inFlight = random.size({1, 2, 4, 8});
    l.chunks = chunks;
    l.microBatch = random.size({1, 1, 2});
    const bool inTurns = l.schedule == ScheduleKind::Interleaved ||
                         l.schedule == ScheduleKind::InterleavedZeroBubble;
    const bool halves = l.schedule == ScheduleKind::DualPipe;
    const std::uint64_t least = halves || l.schedule == ScheduleKind::DualPipeV ? 2 * pipeline : 1;
    const std::uint64_t passes = inTurns  ? pipeline * (1 + random.below(4))
                                 : halves ? least + 2 * random.below(6)
                                          : least + random.below(12);
    if (l.schedule == ScheduleKind::Interleaved && random.oneIn(2)) {
      const std::uint64_t group = pipeline + random.below(passes - pipeline + 1);
      if (const std::uint64_t last = passes % group; last == 0 || last >= pipeline)
        l.group = group;
    }
    l.batch = l.microBatch * data * replica * passes;
    l.batchUnit = listed ? BatchUnit::Samples : BatchUnit::Sequences;
  }

  static AxisRequest axis(Axis a, std::uint64_t size) {
    AxisRequest request;
    request.axis = a, request.size = size;
    return request;
  }

  void mesh() {
    MeshRequest& m = plan.layout.mesh;
    m.axes = {axis(Axis::Replica, replica), axis(Axis::Pipeline, pipeline), axis(Axis::Data, data),
              axis(Axis::Context, context), axis(Axis::Tensor, tensor)};
    if (random.oneIn(6)) // pipeline innermost of the outer axes: messages inside a node
      std::swap(m.axes[1], m.axes[2]);
    if (expert == 0)
      return;
    m.hasExperts = true;
    m.experts = {axis(Axis::ExpertData, data * context * tensor / (expert * expertTensor)),
                 axis(Axis::Expert, expert), axis(Axis::ExpertTensor, expertTensor)};
  }

  void split() {
    Layout& l = plan.layout;
    const std::uint64_t pieces = Placement{placementOf(l.schedule), pipeline, chunks}.stages();
    l.split =
        random.pick({SplitKind::Even, SplitKind::Balanced, SplitKind::ByFlop, SplitKind::Listed});
    if (l.split == SplitKind::ByFlop && facts.oneIn(2))
      l.split = SplitKind::ByParameters;
    if (l.split != SplitKind::Listed)
      return;
    l.splitLayers.assign(pieces, plan.model.layers() / pieces);
    for (std::uint64_t moves = random.below(pieces); moves > 0; --moves) {
      std::uint64_t& from = l.splitLayers[random.below(pieces)];
      if (from > 1) {
        --from;
        ++l.splitLayers[random.below(pieces)];
      }
    }
  }

  /// Of gradients that are reduced whole, or scattered as codes.
  void compression(Layout& l) {
    if (replica * data * context < 2 || !later.oneIn(5))
      return;
    Compression c;
    c.kind = later.pick({CompressionKind::Quantised, CompressionKind::TopK,
                         CompressionKind::RandomK, CompressionKind::LowRank});
    if (listed || (l.shard.stage() > 0 && replica == 1))
      c.kind = CompressionKind::Quantised;
    c.density = later.between(0.001, 0.2), c.bits = later.size({1, 4, 8});
    c.rank = later.size({1, 4, 32});
    l.compression = {c};
  }

  void buffers(Layout& l) {
    l.kernels.rotary = facts.pick({KernelKind::Fused, KernelKind::Separate});
    l.kernels.activation = facts.pick({KernelKind::Fused, KernelKind::Separate});
    l.kernels.transposed = facts.oneIn(4);
    l.kernels.loss = facts.pick({LossKind::Fused, LossKind::Compiled, LossKind::InPlace,
                                 LossKind::Copied, LossKind::Eager});
    l.buffers.hasBuckets = facts.oneIn(4), l.buffers.hasPassGradients = facts.oneIn(4);
    l.buffers.keepGathered = facts.oneIn(4), l.buffers.flatUpdate = facts.oneIn(4);
    l.buffers.gathered = facts.below(3);
  }

  /// How context ranks come by keys, experts are launched and recomputation ends.
  void habits(Layout& l) {
    CallHabits h;
    h.keys = later.pick({KeyExchangeKind::Ring, KeyExchangeKind::Gathered, KeyExchangeKind::Heads});
    if (h.keys == KeyExchangeKind::Gathered)
      h.keysRepeated = later.oneIn(2), h.keysCompiled = later.oneIn(2);
    h.stacked = later.oneIn(2), h.groupedExperts = later.oneIn(2), h.earlyStop = later.oneIn(2);
    if (later.oneIn(2))
      l.callHabits = {h};
  }

  /// How tokens come to their experts, and how many of their groups they may choose from.
  void dispatch() {
    Kernels& k = plan.layout.kernels;
    k.dispatch = facts.pick({DispatchKind::AllToAll, DispatchKind::DeepEp, DispatchKind::HybridEp,
                             DispatchKind::AllGather});
    k.dispatchFp8 = k.dispatch == DispatchKind::DeepEp && facts.oneIn(2);
    k.permutation = facts.pick({KernelKind::Fused, KernelKind::Separate});
    k.router = facts.pick({KernelKind::Fused, KernelKind::Separate});
    for (LayerClass& c : plan.model.classes)
      if (FeedForward& f = c.feedForward; f.kind == FeedForwardKind::Experts && f.experts % 2 == 0)
        f.router.groups = 2, f.router.groupLimit = 1 + facts.below(2);
  }

  /// Costs that repeat once or twice over a step; all of one kind are equal.
  void unequalMicroBatches() {
    Layout& l = plan.layout;
    const std::uint64_t m = l.batch / (l.microBatch * data * replica);
    for (std::uint64_t left = m % 2 == 0 && facts.oneIn(2) ? m / 2 : m; left > 0; --left)
      l.microBatchCosts.push_back(1 + facts.below(facts.oneIn(4) ? 1000 : 4));
  }

  void layout() {
    Layout& l = plan.layout;
    if (random.oneIn(3) && plan.cluster.device().peak.count(DataType::FP8) > 0)
      l.precision.compute = DataType::FP8;
    else if (random.oneIn(6))
      l.precision.compute = l.precision.head = DataType::FP16;
    l.recompute.kind =
        random.pick({RecomputeKind::None, RecomputeKind::Selective, RecomputeKind::Full});
    if (l.recompute.kind == RecomputeKind::Selective)
      l.recompute.modules = {random.pick({Module::CoreAttention, Module::Mlp, Module::Moe})};
    if (l.recompute.kind == RecomputeKind::Full)
      l.recompute.method = random.pick({RecomputeMethod::Uniform, RecomputeMethod::Block});
    std::uint64_t stage = random.below(4);
    if (l.schedule == ScheduleKind::PipeDream) // whole weights of one rank
      stage = std::min<std::uint64_t>(stage, 1), plan.model.tiedEmbeddings = false;
    l.shard.optimizer = stage > 0 ? ShardAxis::Data : ShardAxis::None;
    l.shard.gradients = stage > 1 ? ShardAxis::Data : ShardAxis::None;
    l.shard.parameters = stage > 2 ? ShardAxis::Data : ShardAxis::None;
    l.shard.reshard = random.oneIn(2);
    if (tensor > 1 && random.oneIn(2))
      l.shard.sequence = ShardAxis::Tensor;
    l.optimizer = random.pick({OptimizerKind::AdamW, OptimizerKind::Adam, OptimizerKind::Sgd});
    Overlap& o = l.overlap;
    o.gradients = random.oneIn(2), o.parameters = random.oneIn(2), o.pipeline = random.oneIn(2);
    o.tensor = random.oneIn(2), o.experts = random.oneIn(2);
    l.fusedAttention = !random.oneIn(4),
    l.kernels.norm = random.oneIn(2) ? KernelKind::Fused : KernelKind::Separate;
    l.graphs = random.oneIn(5), l.postValidation = random.oneIn(6);
    buffers(l);
    if (facts.oneIn(3))
      l.shard.messages = ShardAxis::Tensor;
    if (facts.oneIn(4))
      l.gradientBucket = facts.size({1 << 20, 25 << 20, 400 << 20});
    compression(l);
    if (facts.oneIn(8))
      l.statesUpdate = true, l.update = facts.below(100'000'000'000);
    if (facts.oneIn(8))
      l.launchBlocking = true, o = {false, false, false, false, false};
    if (facts.oneIn(6))
      unequalMicroBatches();
    habits(l);
    l.buffers.hasWholeGradients = facts.oneIn(4), l.buffers.keepEnds = facts.oneIn(4);
    if (l.recompute.kind == RecomputeKind::Selective && facts.oneIn(3))
      l.recompute.modules.push_back(Module::AlternateProducts);
    if (l.recompute.kind != RecomputeKind::None && facts.oneIn(3)) {
      l.recompute.inAdvance = true;
      l.recompute.inAdvance =
          cost::legal::takesInAdvance(l) && cost::legal::recomputes(plan.model, l.recompute);
    }
    if (l.precision.compute == DataType::FP8 && facts.oneIn(2))
      l.precision.parameters = DataType::FP8;
    l.buffers.hasUpdateGradients = later.oneIn(4), l.buffers.keepMessages = later.oneIn(4);
    l.buffers.expandableSegments = later.oneIn(4);
    if (!plan.model.isLayerList())
      plan.model.embeddingNorm = plan.model.kind == "encoder" || later.oneIn(4);
    if (later.oneIn(5))
      l.offload = {{later.below(4), later.pick({0.0, 0.5, 1.0})}};
  }

  Random random;
  Random facts; ///< of what costs nothing, so that the rest is as without it
  Random later; ///< of what was added since, for the same reason
  Plan plan;
  bool listed = false;
  std::uint64_t replica = 1, pipeline = 1, data = 1, context = 1, tensor = 1, chunks = 1;
  std::uint64_t expert = 0, expertTensor = 1; ///< 0 without experts
};
} // namespace

Plan dpl::test::randomPlan(std::uint64_t seed) { return Maker(seed).make(); }

std::uint64_t dpl::test::plansToMake() {
  const char* given = std::getenv("DPL_PROPERTY_PLANS");
  return given ? std::strtoull(given, nullptr, 10) : 300;
}

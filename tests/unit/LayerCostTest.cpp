//===- LayerCostTest.cpp - Parameters, FLOP and kept bytes of published shapes ----------------===//
#include "cost/compute/OperatorTime.h"
#include "tests/unit/SampleModels.h"
#include <gtest/gtest.h>
#include <string_view>

using namespace dpl::cost;
using namespace dpl::ir;
using dpl::test::decoder;
using dpl::test::whole;

namespace {
/// GPT-2 and GPT-3: biases, LayerNorm, learned positions, tied embeddings.
Model gpt(std::uint64_t layers, std::uint64_t hidden, std::uint64_t heads, std::uint64_t context) {
  Model m = decoder(layers, hidden, heads, heads, 4 * hidden, 50257, context, false);
  m.norm = NormKind::Layer;
  m.positions = PositionKind::Learned;
  m.tiedEmbeddings = m.bias = m.qkvBias = true;
  return m;
}
Model llama70b() { return decoder(80, 8192, 64, 8, 28672, 128256, 8192, true); }

double savedOf(const std::vector<OperatorCost>& operators) {
  return sumOf(operators, Device{}, {}, false).saved;
}
double forwardBytes(const Model& m, const Division& d) {
  double all = 0;
  for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], d))
    all += op.forward.bytes;
  return all;
}
} // namespace

TEST(LayerCostTest, Llama70B_HasItsExactParameterCount) {
  // layers·(2h² + 2h·kv·dim + 3h·ffn + 2h) + 2Vh + h.
  EXPECT_EQ(totalParameters(llama70b()), 70'553'706'496.0);
}

TEST(LayerCostTest, PublishedModels_HaveTheirPublishedSizes) {
  EXPECT_EQ(totalParameters(decoder(32, 4096, 32, 8, 14336, 128256, 8192, true)), 8'030'261'248.0);
  EXPECT_EQ(totalParameters(decoder(126, 16384, 128, 8, 53248, 128256, 8192, true)),
            405'853'388'800.0);
  EXPECT_EQ(totalParameters(decoder(32, 4096, 32, 32, 11008, 32000, 4096, true)), 6'738'415'616.0);
  EXPECT_EQ(totalParameters(gpt(12, 768, 12, 1024)), 124'439'808.0);      // GPT-2 small
  EXPECT_EQ(totalParameters(gpt(48, 1600, 25, 1024)), 1'557'611'200.0);   // GPT-2 XL
  EXPECT_NEAR(totalParameters(gpt(96, 12288, 96, 2048)), 174.6e9, 0.1e9); // GPT-3
}

TEST(LayerCostTest, Mixtral_CountsEveryExpertAndActivatesTwo) {
  Model m = decoder(32, 4096, 32, 8, 14336, 32000, 4096, true);
  FeedForward& f = m.layerTypes[0].feedForward;
  f.kind = FeedForwardKind::Experts;
  f.experts = 8, f.active = 2;
  EXPECT_EQ(totalParameters(m),
            46'702'792'704.0); // Mixtral 8x7B, arXiv 2401.04088: 46.7B, 12.9B active
  EXPECT_NEAR(activeParameters(m), 12.9e9, 0.05e9);
}

TEST(LayerCostTest, DeepSeekV3_Has671BillionOfWhich37Active) {
  Model m = decoder(61, 7168, 128, 128, 18432, 129280, 4096, true);
  Attention& a = m.layerTypes[0].attention;
  a.kind = AttentionKind::Latent;
  a.queryRank = 1536, a.kvRank = 512, a.nope = 128, a.rope = 64, a.value = 128;
  LayerType sparse = m.layerTypes[0];
  sparse.feedForward.kind = FeedForwardKind::Experts;
  sparse.feedForward.experts = 256, sparse.feedForward.active = 8, sparse.feedForward.width = 2048;
  sparse.feedForward.shared = 1, sparse.feedForward.sharedWidth = 2048;
  m.layerTypes.push_back(sparse);
  m.runs = {{0, 3}, {1, 58}};
  EXPECT_NEAR(totalParameters(m), 671e9, 0.1e9); // arXiv 2412.19437
  EXPECT_NEAR(activeParameters(m), 37e9, 0.6e9);
}

TEST(LayerCostTest, BertLarge_HasItsPublishedSize) {
  Model m = gpt(24, 1024, 16, 512);
  m.kind = "encoder";
  m.vocab = 30522;
  m.tokenTypes = 2;
  m.layerTypes[0].attention.causal = false;
  // 334.1M without pooler and masked-language-model head (335.1M with the pooler).
  EXPECT_NEAR(totalParameters(m), 334.1e6, 0.1e6);
}

TEST(LayerCostTest, BlockOfFourH_HasTheTextbookForwardFlop) {
  // 24·b·s·h²·(1 + s/(6h)): b 1, s 2048, h 12288: 7.6278619177 TFLOP.
  const Model m = gpt(96, 12288, 96, 2048);
  const OperatorSum sum =
      sumOf(operatorsOf(m, m.layerTypes[0], whole(m, 2048)), Device{}, {}, true);
  EXPECT_NEAR(sum.forwardFlop / 7.6278619177e12, 1, 1e-9);
  EXPECT_NEAR(sum.backwardFlop / sum.forwardFlop, 2, 1e-9);
  // Recomputing every activation: (1 + 2 + 1)/(1 + 2).
  EXPECT_NEAR(sum.recomputeFlop / sum.forwardFlop, 1, 1e-9);
}

TEST(LayerCostTest, EarlyStop_LeavesOutTheProductBackToTheStream) {
  // Of 24·s·h² of a block 8·s·h² are the product from 4h back to h; nothing with dropout, whose
  // mask is made again.
  Model m = gpt(96, 12288, 96, 2048);
  Division d = whole(m, 2048);
  d.communication.earlyStop = true;
  const auto again = [&] {
    const OperatorSum sum = sumOf(operatorsOf(m, m.layerTypes[0], d), Device{}, {}, true);
    return sum.forwardFlop - sum.recomputeFlop;
  };
  EXPECT_NEAR(again() / (8.0 * 2048 * 12288 * 12288), 1, 1e-9);
  EXPECT_EQ(sumOf(operatorsOf(m, m.layerTypes[0], d), Device{}, {}, true).saved,
            sumOf(operatorsOf(m, m.layerTypes[0], whole(m, 2048)), Device{}, {}, true).saved);
  m.hiddenDropout = 0.1;
  EXPECT_EQ(again(), 0);
  m.hiddenDropout = 0, m.postNorms = true;
  EXPECT_EQ(again(), 0);
}

TEST(LayerCostTest, ExchangedKeys_AreThoseOfKeyHeadsOrOfAll) {
  // 8192 tokens, keys and values of 8 of 64 heads of 128.
  const Model m = llama70b();
  Division d = whole(m, 8192);
  EXPECT_EQ(exchangedKeys(m.layerTypes[0], d), 8192.0 * 2 * 8 * 128);
  d.tensor = 8;
  EXPECT_EQ(exchangedKeys(m.layerTypes[0], d), 8192.0 * 2 * 128);
  d.communication.keysRepeated = true;
  EXPECT_EQ(exchangedKeys(m.layerTypes[0], d), 8192.0 * 2 * 8 * 128);
}

TEST(LayerCostTest, PartsOfAttention_AreMergedInFp32) {
  // Of 4 ranks three parts are merged, 11.5 bytes an element of the output, which is converted
  // back for 6; keys and values are joined for 4. Other exchanges merge nothing.
  const Model m = llama70b();
  Division d = whole(m, 8192);
  d.context = 4;
  const double before = forwardBytes(m, d);
  d.communication.keys = KeyExchangeKind::Heads;
  EXPECT_EQ(forwardBytes(m, d), before);
  d.communication.keys = KeyExchangeKind::Gathered, d.communication.keysCompiled = true;
  EXPECT_NEAR(forwardBytes(m, d) - before, 8192.0 * ((3 * 11.5 + 6) * 8192 + 4 * 2 * 8 * 128), 1);
  // Meanwhile the keys and values of all four ranks are there, 2 bytes an element.
  for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], d))
    EXPECT_EQ(op.temporary, std::string_view(op.name) == "merge parts"
                                ? 4 * 2 * 8192.0 * 2 * 8 * 128
                                : op.temporary);
  d.communication.keysCompiled = false;
  EXPECT_NEAR(forwardBytes(m, d) - before, 2.5 * 8192.0 * ((3 * 11.5 + 6) * 8192 + 4 * 2 * 8 * 128),
              1);
}

TEST(LayerCostTest, GradientsByThemselves_AreAddedByKernelsOfTheirOwn) {
  // A product writes 2 bytes an element, which does not add to 8; a kernel moves 10 for the sum.
  const Model m = llama70b();
  Division d = whole(m, 8192);
  const auto bytes = [&](const std::vector<OperatorCost>& operators) {
    double all = 0;
    for (const OperatorCost& op : operators)
      all += op.backwardWeight.bytes;
    return all;
  };
  const double layer = bytes(operatorsOf(m, m.layerTypes[0], d)), head = bytes(headOperators(m, d));
  EXPECT_EQ(bytes(embeddingOperators(m, d)), 0);
  d.sums = 10;
  const double table = 8192.0 * static_cast<double>(d.vocab),
               weights = 8192.0 * (2 * 8192 + 2 * 8 * 128 + 3 * 28672);
  EXPECT_NEAR(bytes(operatorsOf(m, m.layerTypes[0], d)) - layer, (10 + 2 - 8) * weights, 1);
  EXPECT_NEAR(bytes(headOperators(m, d)) - head, (10 + 2 - 8) * table, 1);
  EXPECT_EQ(bytes(embeddingOperators(m, d)), 10 * table);
}

TEST(LayerCostTest, StackedPieces_AreReadOnceMoreAndSummed) {
  // Two products a layer give h elements a token whole, of which each of 8 ranks gets an eighth.
  const Model m = llama70b();
  Division d = whole(m, 8192);
  d.tensor = 8, d.sequenceParallel = true;
  const auto bytes = [&](bool stacked) {
    d.communication.stacked = stacked;
    return forwardBytes(m, d);
  };
  EXPECT_NEAR(bytes(true) - bytes(false), 2 * 2 * 8192.0 * 8192 * 9 / 8, 1);
}

TEST(LayerCostTest, PiecesAlongTheSequence_ArePutInOrder) {
  // Read and written, in 16 bits; what products in 8 bits read is gathered in 8.
  const Model m = llama70b();
  Division d = whole(m, 8192);
  d.tensor = 8, d.sequenceParallel = true;
  const auto bytes = [&] {
    double all = 0;
    for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], d))
      if (std::string_view(op.name).starts_with("order of"))
        all += op.forward.bytes + op.backwardInput.bytes;
    return all;
  };
  EXPECT_EQ(bytes(), 0);
  const double tensor = 8192.0 * 8192, ways = 2 * 2; // two blocks, forward and backward
  d.copiesScattered = true;
  EXPECT_EQ(bytes(), ways * (2 + 2) * tensor);
  d.copiesGathered = true;
  EXPECT_EQ(bytes(), ways * (2 + 2 + 2 + 2) * tensor);
  d.compute = DataType::FP8;
  EXPECT_EQ(bytes(), ways * (2 + 2 + 1 + 1) * tensor);
}

TEST(LayerCostTest, TensorSplit_DividesTheFlopOfABlock) {
  const Model m = llama70b();
  Division d = whole(m, 8192);
  const double one = sumOf(operatorsOf(m, m.layerTypes[0], d), Device{}, {}, false).forwardFlop;
  d.tensor = 8;
  EXPECT_NEAR(sumOf(operatorsOf(m, m.layerTypes[0], d), Device{}, {}, false).forwardFlop, one / 8,
              one * 1e-9);
}

TEST(LayerCostTest, UnfusedBlock_KeepsWhatThePaperCounts) {
  // arXiv 2205.05198: s·b·h·(34 + 5as/h) with dropout, of which 2·s·b·h and a·s²·b are masks, and
  // 2·a·s²·b scores after dropout. s 2048, h 12288, a 96.
  Model m = gpt(96, 12288, 96, 2048);
  Division d = whole(m, 2048);
  d.fusedAttention = false;
  const double sbh = 2048.0 * 12288;
  const auto kept = [&] {
    return savedOf(operatorsOf(m, m.layerTypes[0], d)) +
           residualPoints(m, m.layerTypes[0], {}) * residualBytes(m, d);
  };
  EXPECT_NEAR(kept(), sbh * (32 + 2.0 * 96 * 2048 / 12288), sbh * 1e-6);
  m.attentionDropout = m.hiddenDropout = 0.1;
  EXPECT_NEAR(kept(), sbh * (34 + 5.0 * 96 * 2048 / 12288), sbh * 1e-6);
  // Tensor 8 with sequence parallelism divides all of it.
  d.tensor = 8, d.sequenceParallel = true;
  EXPECT_NEAR(kept(), sbh / 8 * (34 + 5.0 * 96 * 2048 / 12288), sbh * 1e-6);
  // Without it the norms' outputs and the residual stream and their masks stay whole: 10·sbh of
  // the 34.
  d.sequenceParallel = false;
  EXPECT_NEAR(kept(), sbh * (10 + 24.0 / 8 + 5.0 * 96 * 2048 / 12288 / 8), sbh * 1e-6);
}

TEST(LayerCostTest, SelectiveRecomputation_DropsTheScoresOnly) {
  Model m = gpt(96, 12288, 96, 2048);
  m.attentionDropout = 0.1;
  Division d = whole(m, 2048);
  d.fusedAttention = false;
  Recompute r;
  r.kind = RecomputeKind::Selective;
  r.modules = {ModuleKind::CoreAttention};
  const std::vector<OperatorCost> operators = operatorsOf(m, m.layerTypes[0], d);
  const double scores = 5.0 * 96 * 2048 * 2048;
  EXPECT_NEAR(savedOf(operators) - sumOf(operators, Device{}, r, false).saved, scores, 1);
}

TEST(LayerCostTest, AnActivation_IsRecomputedWithThePartThatItIsOf) {
  Model m = gpt(2, 1024, 8, 512);
  m.layerTypes.push_back(m.layerTypes[0]);
  FeedForward& f = m.layerTypes[1].feedForward;
  f.kind = FeedForwardKind::Experts;
  f.experts = 8, f.active = 2, f.shared = 1, f.sharedWidth = f.width;
  const Division d = whole(m, 512);
  Recompute r;
  r.kind = RecomputeKind::Selective;
  const auto dropped = [&](int layer, ModuleKind module) {
    r.modules = {module};
    return sumOf(operatorsOf(m, m.layerTypes[layer], d), Device{}, r, false).restored;
  };
  const double activation = 512.0 * static_cast<double>(f.width) * 2; // of tokens, in 16 bits
  EXPECT_EQ(dropped(0, ModuleKind::Moe), 0);
  EXPECT_EQ(dropped(0, ModuleKind::SharedExperts), 0);
  EXPECT_EQ(dropped(1, ModuleKind::Mlp), 0);
  EXPECT_EQ(dropped(0, ModuleKind::Activation), activation);
  EXPECT_EQ(dropped(1, ModuleKind::Activation),
            3 * activation); // two experts a token and a shared one
  EXPECT_GT(dropped(0, ModuleKind::Mlp), activation);
  EXPECT_GT(dropped(1, ModuleKind::SharedExperts), activation);
  EXPECT_GT(dropped(1, ModuleKind::Moe), dropped(1, ModuleKind::SharedExperts) + 2 * activation);
}

TEST(LayerCostTest, Logits_AreFourBytesAToken) {
  // 8192 × 128256 × 4 B = 4.202692608 GB on a stage that does not split the vocabulary.
  const Model m = llama70b();
  const std::vector<OperatorCost> head = headOperators(m, whole(m, 8192));
  EXPECT_EQ(head.back().saved + head.back().internal, 4.202692608e9);
}

TEST(LayerCostTest, FewKeyValueHeads_AreCopiedToEveryTensorRank) {
  // Llama 3 70B on 16 tensor ranks, 8 key-value heads of 128: queries 8192·8192/16, keys and values
  // of one head 2·8192·128 (not half of that), output 8192·8192/16, feed-forward 3·8192·28672/16,
  // two norms of 8192.
  const Model m = llama70b();
  const ParameterCount p = parametersOf(m, m.layerTypes[0]);
  EXPECT_EQ(p.denseOn(16), 4'194'304.0 + 2'097'152 + 4'194'304 + 44'040'192 + 16'384);
  EXPECT_EQ(p.denseOn(8), 8'388'608.0 + 2'097'152 + 8'388'608 + 88'080'384 + 16'384);
  // The projection that those parameters are of has as many columns.
  Division d = whole(m, 8192);
  d.tensor = 16;
  EXPECT_EQ(operatorsOf(m, m.layerTypes[0], d)[1].n, (4'194'304.0 + 2'097'152) / 8192);
}

TEST(LayerCostTest, Vocabulary_IsPaddedToAMultipleOfTheTensorDegree) {
  EXPECT_EQ(paddedVocabulary(50257, 128, 8), 51200U);
  EXPECT_EQ(paddedVocabulary(128256, 128, 1), 128256U);
}

TEST(LayerCostTest, CausalFusedAttention_CountsAllScoresAndRunsHalf) {
  const Model m = llama70b();
  for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], whole(m, 8192)))
    if (op.module == ModuleKind::CoreAttention) {
      EXPECT_EQ(op.forward.flop, 4.0 * 8192 * 8192 * 64 * 128);
      EXPECT_DOUBLE_EQ(op.executed, 0.5);
    }
}

TEST(LayerCostTest, HeadsOfOddSizes_LoseTheTensorCores) {
  // 96 heads of 150 elements, 300 bytes: no multiple of 16. On 19.5 TFLOP/s of single elements.
  Device device;
  device.peak[DataType::BF16] = 312'000'000'000'000,
  device.peak[DataType::FP32] = 19'500'000'000'000;
  device.sustainedMatmul = 0.75, device.efficiencyHalfSize = 180;
  for (const std::uint64_t heads : {96, 90}) { // of 150 and of 160 elements
    const Model m = gpt(80, 14400, heads, 2048);
    Division d = whole(m, 2048);
    d.fusedAttention = false;
    for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], d))
      if (op.module == ModuleKind::CoreAttention) {
        if (heads == 96)
          EXPECT_DOUBLE_EQ(sustainedRate(op, device), 19.5e12 * 0.75);
        else
          EXPECT_DOUBLE_EQ(sustainedRate(op, device),
                           312e12 * 0.75 * gemmEfficiency(2048, 2048, 160, 180));
      }
  }
}

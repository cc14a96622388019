//===- RecurrenceTest.cpp - Linear attention, state spaces, indexers and gates ----------------===//
//
// Parameters are those of the tensors of transformers 5.24.0, FLOP those that
// tests/conformance/models/reference.py counts in chunked references.
#include "cost/compute/Recurrences.h"
#include "cost/legality/Legality.h"
#include "tests/unit/SampleModels.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <string_view>

using namespace dpl::cost;
using namespace dpl::ir;
using dpl::test::decoder;
using dpl::test::whole;

namespace {
Recurrence gatedDelta(std::uint64_t keyHeads, std::uint64_t heads, std::uint64_t key,
                      std::uint64_t value) {
  Recurrence r;
  r.keyHeads = keyHeads, r.heads = heads, r.key = key, r.value = value;
  r.taps = 4, r.chunk = 64;
  return r;
}
Recurrence mamba(std::uint64_t heads, std::uint64_t size, std::uint64_t state, std::uint64_t groups,
                 std::uint64_t chunk) {
  Recurrence r;
  r.kind = RecurrenceKind::Mamba2;
  r.heads = heads, r.value = size, r.key = state, r.keyHeads = groups, r.taps = 4, r.chunk = chunk;
  return r;
}
Model hidden(std::uint64_t size) { return decoder(1, size, 8, 8, 64, 1000, 512, true); }

OperatorCost operatorOf(const Model& m, const Division& d, std::string_view name) {
  const std::vector<OperatorCost> all = operatorsOf(m, m.layerTypes[0], d);
  const auto op =
      std::find_if(all.begin(), all.end(), [&](const OperatorCost& o) { return name == o.name; });
  EXPECT_NE(op, all.end()) << name;
  return op == all.end() ? OperatorCost() : *op;
}
} // namespace

TEST(RecurrenceTest, GatedDelta_HasTheTensorsOfQwen35) {
  // qwen3_5_moe: in_proj_qkv 8192, z 4096, b 32 and a 32 rows of 2048; conv1d 8192·4; dt_bias and
  // A_log 32 each; norm 128; out_proj 2048·4096.
  EXPECT_EQ(recurrenceParameters(hidden(2048), gatedDelta(16, 32, 128, 128)).dense,
            2048.0 * (8192 + 4096 + 64) + 8192 * 4 + 2 * 32 + 128 + 2048.0 * 4096);
}

TEST(RecurrenceTest, KimiDelta_HasTheTensorsOfKimiLinear) {
  Recurrence r = gatedDelta(32, 32, 128, 128);
  r.channelDecay = true, r.rank = 128;
  // q, k, v and o 4096·2304 each; conv1d 12288·4; f_a and g_a 128·2304; f_b and g_b 4096·128;
  // b_proj 32·2304; dt_bias 4096; A_log 32; o_norm 128.
  const ParameterCount p = recurrenceParameters(hidden(2304), r);
  EXPECT_EQ(p.dense, 4 * 4096.0 * 2304 + 12288 * 4 + 2 * 128 * (2304.0 + 4096) + 32 * 2304.0 +
                         4096 + 32 + 128);
  EXPECT_EQ(p.replicated, 2 * 128.0 * 2304 + 128);
}

TEST(RecurrenceTest, Mamba2_HasTheTensorsOfNemotronH) {
  // in_proj 18560·4096, conv1d 10240·4 and its bias, dt_bias, A_log and D 128 each, norm 8192,
  // out_proj 4096·8192.
  EXPECT_EQ(recurrenceParameters(hidden(4096), mamba(128, 64, 128, 8, 128)).dense,
            18560.0 * 4096 + 10240 * 5 + 3 * 128 + 8192 + 4096.0 * 8192);
}

TEST(RecurrenceTest, LightningAndShortConvolution_HaveTheirTensors) {
  Recurrence r;
  r.kind = RecurrenceKind::Lightning, r.heads = r.keyHeads = 32, r.key = r.value = 128;
  // minimax: qkv_proj 12288·4096, output_gate and out_proj 4096·4096, norm 4096.
  EXPECT_EQ(recurrenceParameters(hidden(4096), r).dense, 5 * 4096.0 * 4096 + 4096);
  r = {};
  r.kind = RecurrenceKind::ShortConvolution, r.heads = r.keyHeads = 2048, r.key = r.value = 1;
  r.taps = 7;
  // lfm3: in_proj 6144·2048, conv 2048·7, out_proj 2048·2048.
  EXPECT_EQ(recurrenceParameters(hidden(2048), r).dense, 4 * 2048.0 * 2048 + 2048 * 7);
}

TEST(RecurrenceTest, Scans_HaveTheFlopOfTheirChunkedReferences) {
  struct Reference {
    Recurrence recurrence;
    double forward, backward;
  };
  Recurrence lightning;
  lightning.kind = RecurrenceKind::Lightning, lightning.heads = lightning.keyHeads = 8;
  lightning.key = lightning.value = lightning.chunk = 64;
  for (const Reference& of : {Reference{gatedDelta(4, 8, 64, 128), 444596224, 1241513984},
                              Reference{lightning, 134217728, 335544320},
                              Reference{mamba(8, 32, 64, 2, 128), 83886080, 234881024}}) {
    Model m = hidden(512);
    m.layerTypes[0].recurrence = {of.recurrence};
    const OperatorCost scan = operatorOf(m, whole(m, 512), "scan");
    EXPECT_EQ(scan.forward.flop, of.forward);
    EXPECT_EQ(scan.backwardInput.flop, of.backward);
  }
}

TEST(RecurrenceTest, Scan_IsLinearInTheSequenceAndDividedByTensorRanks) {
  Model m = hidden(512);
  m.layerTypes[0].recurrence = {gatedDelta(4, 8, 64, 128)};
  const OperatorCost one = operatorOf(m, whole(m, 512), "scan");
  const OperatorCost longer = operatorOf(m, whole(m, 4096), "scan");
  EXPECT_EQ(longer.forward.flop, 8 * one.forward.flop);
  Division half = whole(m, 512);
  half.tensor = 2;
  const OperatorCost part = operatorOf(m, half, "scan");
  EXPECT_EQ(2 * part.forward.flop, one.forward.flop);
  EXPECT_EQ(2 * part.internal, one.internal);
}

TEST(RecurrenceTest, Recurrence_NeedsWholeHeadsOnTensorAndContextRanks) {
  EXPECT_TRUE(legal::recurrence(32, 16, 16, 2));
  EXPECT_FALSE(legal::recurrence(32, 16, 32, 1)); // key heads
  EXPECT_FALSE(legal::recurrence(32, 16, 16, 4)); // two heads over four context ranks
  EXPECT_TRUE(legal::recurrence(0, 0, 8, 8));     // no recurrence
}

TEST(RecurrenceTest, Indexer_HasTheTensorsOfDeepSeekV32AndBoundsTheKeysOfAttention) {
  Model m = decoder(1, 7168, 128, 128, 64, 1000, 65536, true);
  Attention& a = m.layerTypes[0].attention;
  a.kind = AttentionKind::Latent, a.queryRank = 1536, a.kvRank = 512;
  a.nope = 128, a.rope = 64, a.value = 128;
  const double without = parametersOf(m, m.layerTypes[0]).dense;
  m.layerTypes[0].indexer = {{64, 128, 2048}};
  // wq_b 8192·1536, wk 128·7168, k_norm 2·128, weights_proj 64·7168.
  EXPECT_EQ(parametersOf(m, m.layerTypes[0]).dense - without,
            8192.0 * 1536 + 128 * 7168.0 + 256 + 64 * 7168.0);
  const Division d = whole(m, 65536);
  // Scores of 576 elements and values of 512, of 2048 keys.
  EXPECT_EQ(operatorOf(m, d, "core attention").forward.flop,
            2 * 65536.0 * 2048 * 128 * (576 + 512));
  EXPECT_EQ(operatorOf(m, d, "index scores").forward.flop, 2 * 65536.0 * 65536 * 64 * 128);
}

TEST(RecurrenceTest, Gate_IsAProjectionOfTheInput) {
  Model m = decoder(1, 2048, 16, 2, 64, 1000, 512, true);
  const double without = parametersOf(m, m.layerTypes[0]).dense;
  m.layerTypes[0].attention.gate = AttentionGate::Element;
  EXPECT_EQ(parametersOf(m, m.layerTypes[0]).dense - without, 2048.0 * 2048);
  m.layerTypes[0].attention.gate = AttentionGate::Head;
  EXPECT_EQ(parametersOf(m, m.layerTypes[0]).dense - without, 2048.0 * 16);
}

TEST(RecurrenceTest, SingleBlocks_HaveOneNormEach) {
  Model m = hidden(4096);
  LayerType& c = m.layerTypes[0];
  c.attention.kind = AttentionKind::None, c.feedForward.kind = FeedForwardKind::None;
  c.recurrence = {mamba(128, 64, 128, 8, 128)};
  EXPECT_EQ(parametersOf(m, c).dense, recurrenceParameters(m, c.recurrence.front()).dense + 4096);
}

//===- ExpertOperatorsTest.cpp - Kernels, bytes and temporaries of experts, by hand -----------===//
#include "cost/compute/OperatorTime.h"
#include "tests/unit/SampleModels.h"
#include <gtest/gtest.h>
#include <string_view>

using namespace dpl::cost;
using namespace dpl::ir;
using dpl::test::decoder;
using dpl::test::whole;

/// As Megatron-LM's `--moe-token-dispatcher-type allgather` does.
TEST(ExpertOperators, OfGatheredTokens_HoldThoseOfAllRanks) {
  // 8 ranks of 4096 tokens of 2048 elements in two bytes, before experts and after them.
  Model m = decoder(48, 2048, 32, 4, 6144, 151936, 4096, true);
  FeedForward& f = m.layerTypes[0].feedForward;
  f.kind = FeedForwardKind::Experts, f.experts = 128, f.active = 8, f.width = 768;
  Division d = whole(m, 4096);
  d.expert = 8;
  const auto temporary = [&](std::string_view name) {
    for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], d))
      if (op.name == name)
        return op.temporary;
    return -1.0;
  };
  d.kernels.dispatch = DispatchKind::AllGather;
  EXPECT_EQ(temporary("permute"), 8 * 4096.0 * 2048 * 2);
  EXPECT_EQ(temporary("unpermute"), 8 * 4096.0 * 2048 * 2);
  d.kernels.dispatch = DispatchKind::AllToAll; // which keeps the rows that it exchanges
  EXPECT_EQ(temporary("permute"), 0);
}

TEST(ExpertOperators, ProductsOfExperts_AreLaunchedOneByOne) {
  // 16 of 128 experts on a rank: 16 products and what is beside them.
  Model m = decoder(48, 2048, 32, 4, 6144, 151936, 4096, true);
  FeedForward& f = m.layerTypes[0].feedForward;
  f.kind = FeedForwardKind::Experts, f.experts = 128, f.active = 8, f.width = 768;
  Division d = whole(m, 4096);
  d.expert = 8;
  d.compute = DataType::FP8;
  const auto kernels = [&](llvm::StringRef name, llvm::StringRef of = "") {
    for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], d))
      if (op.name == name && (of.empty() || op.of == of))
        return op.kernels;
    return 999U;
  };
  EXPECT_EQ(kernels("expert up"), 17U);
  EXPECT_EQ(kernels("cast", "expert down"), 1U);
  EXPECT_EQ(kernels("qkv"), 2U);
  EXPECT_EQ(kernels("permute"), 24U);
}

/// By torchtitan 0.2.2, models/moe/moe.py and utils.py: rows of 16 bits, weighed in fp32.
TEST(ExpertOperators, RowsOfGroupedProducts_ArePaddedAndWeighedInEagerPasses) {
  Model m = decoder(27, 2048, 16, 16, 10944, 102400, 4096, true);
  FeedForward& f = m.layerTypes[0].feedForward;
  f.kind = FeedForwardKind::Experts, f.experts = 64, f.active = 6, f.width = 1408;
  Division d = whole(m, 4096);
  const auto find = [&](llvm::StringRef name) {
    for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], d))
      if (op.name == name)
        return op;
    return OperatorCost{};
  };
  const double own = 4096.0 * 2048, copies = 6 * own;
  EXPECT_EQ(find("unpermute").internal, 0);
  d.communication.groupedExperts = true;
  // By index, with a row of zeros, by index again.
  EXPECT_EQ(find("permute").forward.bytes, (2 + 2) * 3 * copies);
  // By index; zeros, and by index into them; the cast; the product, the cast back and the sum.
  EXPECT_EQ(find("unpermute").forward.bytes,
            ((2 + 2) + (2 + 2 + 2) + (2 + 4) + 4) * copies + (4 + (4 + 2) + (2 + 2 + 2)) * own);
  EXPECT_EQ(find("unpermute").internal, 4 * copies);
  EXPECT_EQ(find("permute").internal, 0);
  d.kernels.permutation = KernelKind::Fused; // the compiler casts as it weighs
  EXPECT_EQ(find("unpermute").internal, 2 * copies);
  d.kernels.permutation = KernelKind::Separate;
  d.kernels.dispatch = DispatchKind::DeepEp; // its kernels bring and weigh them
  EXPECT_EQ(find("unpermute").internal, 0);
}

/// Passes over rows × width that Megatron-Core's eager kernels make, by the types that PyTorch
/// promotes to.
TEST(ExpertOperators, BiasesAndBoundsOfExperts_ArePassesOfTheirOwn) {
  Model m = decoder(1, 512, 8, 8, 384, 32000, 4096, true);
  m.bias = true;
  FeedForward& f = m.layerTypes[0].feedForward;
  f.kind = FeedForwardKind::Experts;
  f.experts = 16, f.active = 4, f.clamp = 7;
  Division d = whole(m, 4096);
  d.expert = 2;
  const double rows = 4 * 4096.0, outputs = rows * 512, inner = rows * 2 * 384;
  const auto find = [&](const char* name) {
    for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], d))
      if (std::string_view(op.name) == name)
        return op;
    return OperatorCost();
  };
  // Two halves read and written, joined; backward each also reads what it was of.
  EXPECT_EQ(find("clamp").forward.bytes, (2 + 2 + 2 + 2) * inner);
  EXPECT_EQ(find("clamp").backwardInput.bytes, (2 + 2 + 2 + 2 + 2) * inner);
  EXPECT_EQ(find("clamp").saved, 2 * inner);
  // b·p, t + b·p, the joined rows; backward dt to its place, and a product and a sum each for b and
  // p.
  EXPECT_EQ(find("expert biases").forward.bytes, (2 + (2 + 2 + 2) + (2 + 2)) * outputs);
  EXPECT_EQ(find("expert biases").backwardInput.bytes,
            ((2 + 2) + 2 * (2 + 2 + 2)) * outputs + 2 * inner);
  EXPECT_EQ(find("expert biases").kernels, 8 * 2 + 1);
  // Weights in fp32: all but t is, and the result is cast; backward the gradient is cast twice.
  f.router.hasPrecision = true, f.router.precision = DataType::FP32;
  const double wide = (4 + (2 + 4 + 4) + (4 + 4) + (4 + 2)) * outputs;
  EXPECT_EQ(find("expert biases").forward.bytes, wide);
  EXPECT_EQ(find("expert biases").backwardInput.bytes,
            (2 * (2 + 4) + (2 + 2) + 2 * (4 + 4 + 4)) * outputs + 2 * inner);
  f.router.hasPrecision = false;
  d.kernels.dispatch = DispatchKind::HybridEp;
  EXPECT_EQ(find("expert biases").forward.bytes, wide);
  // grouped_mm: a bias a row written, then added, behind both products; the bounds are compiled.
  d.communication.groupedExperts = true;
  EXPECT_EQ(find("expert biases").forward.bytes, wide + (2 + 2 + 2 + 2) * inner);
  EXPECT_EQ(find("clamp").forward.bytes, 0);
  d.kernels.dispatch = DispatchKind::AllToAll;
  EXPECT_EQ(find("expert biases").forward.bytes, (2 + 2 + 2 + 2) * (outputs + inner));
  EXPECT_EQ(find("expert biases").backwardInput.bytes, 2 * (outputs + inner));
}

TEST(ExpertOperators, InParallelWithAttention_ShareItsNormAndItsSum) {
  Model m = decoder(48, 2048, 32, 4, 6144, 151936, 4096, true);
  FeedForward& f = m.layerTypes[0].feedForward;
  f.kind = FeedForwardKind::Experts, f.experts = 128, f.active = 8, f.width = 768;
  f.shared = 1, f.sharedWidth = 768;
  const Division d = whole(m, 4096);
  const auto named = [&](std::string_view name) {
    std::vector<OperatorCost> out;
    for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], d))
      if (op.name == name)
        out.push_back(op);
    return out;
  };
  const double elements = 4096.0 * 2048;
  const auto flop = [&] {
    double sum = 0;
    for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], d))
      sum += op.forward.flop;
    return sum;
  };
  const double sequential = flop(), parameters = parametersOf(m, m.layerTypes[0]).dense;
  EXPECT_EQ(named("residual").size(), 2U);
  EXPECT_EQ(named("feed-forward norm").size(), 1U);
  m.parallelNorms = 1;
  // The stream and two outputs are read in two bytes, and their sum is written.
  ASSERT_EQ(named("residual").size(), 1U);
  EXPECT_EQ(named("residual")[0].forward.bytes, (2 + 2 * 2 + 2) * elements);
  EXPECT_EQ(named("attention norm").size(), 1U);
  EXPECT_TRUE(named("feed-forward norm").empty());
  EXPECT_EQ(flop(), sequential);
  EXPECT_EQ(parametersOf(m, m.layerTypes[0]).dense, parameters - 2048);
  EXPECT_EQ(residualPoints(m, m.layerTypes[0], {}), 1U);
  m.parallelNorms = 2;
  EXPECT_EQ(named("feed-forward norm").size(), 1U);
  EXPECT_EQ(parametersOf(m, m.layerTypes[0]).dense, parameters);
}

//===- CastOperatorsTest.cpp - Bytes of casts to 8 and 4 bits, by hand ------------------------===//
#include "cost/compute/OperatorTime.h"
#include "tests/unit/SampleModels.h"
#include <gtest/gtest.h>

using namespace dpl::cost;
using namespace dpl::ir;
using dpl::test::decoder;
using dpl::test::whole;

namespace {
/// 8192 tokens of a layer of 4096 elements, with a query, key and value of 4096 + 2 · 1024.
class Casts : public testing::Test {
protected:
  Casts() { d.compute = DataType::FP8; }
  OperatorCost find(llvm::StringRef name, llvm::StringRef of = "") {
    for (const OperatorCost& op : operatorsOf(m, m.layerTypes[0], d))
      if (op.name == name && (of.empty() || op.of == of))
        return op;
    ADD_FAILURE() << name.str();
    return {};
  }
  double forward(llvm::StringRef of) { return find("cast", of).forward.bytes; }

  static constexpr double input = 8192.0 * 4096, qkv = 8192.0 * 6144, weights = 4096.0 * 6144;
  Model m = decoder(32, 4096, 32, 8, 14336, 128256, 8192, true);
  Division d = whole(m, 8192);
};

TEST_F(Casts, OfDelayedScales_ReadOnceAndWriteTwice) {
  d.recipe = Fp8Recipe::Delayed;
  EXPECT_EQ(forward("qkv"), 4 * input);
  EXPECT_EQ(find("cast", "qkv").backwardInput.bytes, 4 * qkv);
  d.transposedCopies = false; // Blackwell
  EXPECT_EQ(forward("qkv"), 3 * input);
}

TEST_F(Casts, OfCurrentScales_ReadTwiceUnlessAKernelBeforeFindsTheMaximum) {
  d.recipe = Fp8Recipe::Tensorwise;
  EXPECT_EQ(forward("attention projection"), 6 * input);
  EXPECT_EQ(find("cast", "qkv").backwardInput.bytes, 6 * qkv);
  EXPECT_EQ(forward("qkv"), 4 * input);               // the norm finds it
  EXPECT_EQ(forward("mlp down"), 4 * 8192.0 * 14336); // the activation finds it
  EXPECT_EQ(find("cast", "mlp up").backwardInput.bytes, 4 * 8192.0 * 2 * 14336);
  EXPECT_EQ(find("cast", "mlp down").backwardInput.bytes, 6 * input);
  d.kernels.norm = d.kernels.activation = KernelKind::Separate;
  EXPECT_EQ(forward("qkv"), 6 * input);
  EXPECT_EQ(find("cast", "mlp up").backwardInput.bytes, 6 * 8192.0 * 2 * 14336);
}

TEST_F(Casts, OfRows_TransposeAndCastWeightsInEachAction) {
  d.recipe = Fp8Recipe::Rowwise;
  EXPECT_EQ(forward("qkv"), 8 * input + 3 * weights);
  EXPECT_EQ(find("cast", "qkv").backwardInput.bytes, 8 * qkv + 7 * weights);
  EXPECT_EQ(find("cast", "qkv").kernels, 2U);
}

TEST_F(Casts, OfBlocks_WriteScales) {
  d.recipe = Fp8Recipe::Blockwise; // an fp32 scale for 128 elements in both orders
  EXPECT_EQ(forward("qkv"), (4 + 2 * 4.0 / 128) * input);
  d.compute = DataType::MXFP8;
  EXPECT_EQ(forward("qkv"), 4 * input);
  d.compute = DataType::NVFP4;
  EXPECT_EQ(forward("qkv"), 7 * input);
}

TEST_F(Casts, GemmsOfBlocks_SumInRegistersInAllDirections) {
  Device device;
  device.peak[DataType::FP8] = 1'000'000'000'000'000;
  device.sustainedFp8Gradients = 0.8;
  for (const Fp8Recipe recipe : {Fp8Recipe::Delayed, Fp8Recipe::Blockwise}) {
    d.recipe = recipe;
    const OperatorCost op = find("qkv");
    const bool blocks = recipe == Fp8Recipe::Blockwise;
    EXPECT_EQ(executedOf(op, GradientDirection::Forward, device), blocks ? 1.25 : 1);
    EXPECT_EQ(executedOf(op, GradientDirection::BackwardInput, device), 1.25);
  }
}
} // namespace

//===- OperatorTimeTest.cpp - Roofline time of operators by hand ------------------------------===//
#include "cost/compute/OperatorTime.h"
#include <array>
#include <gtest/gtest.h>

using namespace dpl::cost;
using namespace dpl::ir;

TEST(OperatorTime, Roofline_IsTheSlowerOfComputeAndMemory) {
  // 100 GFLOP and 2 GB on 200 TFLOP/s and 2 TB/s: 1 ms.
  Device device;
  device.peak[DataType::BF16] = 200'000'000'000'000;
  device.memoryBandwidth = 16'000'000'000'000;
  OperatorCost op;
  op.kind = OperatorCost::OperatorKind::Matmul;
  EXPECT_NEAR(operatorTime(op, {100e9, 2e9}, 1, device), 1e-3, 1e-12);
  EXPECT_NEAR(operatorTime(op, {400e9, 2e9}, 1, device), 2e-3, 1e-12);
}

TEST(OperatorTime, GradientsInFp8_RunLongerWhereSumsAreShort) {
  OperatorCost op;
  op.kind = OperatorCost::OperatorKind::Matmul;
  op.forward = op.backwardInput = op.backwardWeight = {400e9, 0};
  Device device;
  device.peak[DataType::BF16] = 200'000'000'000'000,
  device.peak[DataType::FP8] = 400'000'000'000'000;
  const auto times = [&](DataType type) {
    op.type = type;
    return std::array{operatorTime(op, GradientDirection::Forward, device),
                      operatorTime(op, GradientDirection::BackwardInput, device),
                      operatorTime(op, GradientDirection::BackwardWeight, device)};
  };
  const auto near = [](const std::array<double, 3>& seconds, double forward, double backward) {
    EXPECT_NEAR(seconds[0], forward, 1e-12);
    EXPECT_NEAR(seconds[1], backward, 1e-12);
    EXPECT_NEAR(seconds[2], backward, 1e-12);
  };
  near(times(DataType::FP8), 1e-3, 1e-3);
  device.sustainedFp8Gradients = 0.8;
  near(times(DataType::FP8), 1e-3, 1.25e-3);
  near(times(DataType::BF16), 2e-3, 2e-3);
  device.peak.erase(DataType::FP8); // computed in bf16
  near(times(DataType::FP8), 2e-3, 2e-3);
}

TEST(OperatorTime, ThinShards_RunAtALowerRate) {
  EXPECT_NEAR(gemmEfficiency(128, 0, 0, 128), 0.5, 1e-12);
  EXPECT_GT(gemmEfficiency(8192, 8192, 8192, 128), 0.95);
  EXPECT_LT(gemmEfficiency(8192, 8192, 256, 128), gemmEfficiency(8192, 8192, 1024, 128));
}

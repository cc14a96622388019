//===- ActionReplayTest.cpp - Where the tensors of a pass come to lie -------------------------===//
#include "cost/memory/ActionReplay.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;

namespace {
/// By which an expandable segment grows.
constexpr std::uint64_t unit = std::uint64_t{20} << 20;

/// What segments hold at most over both passes of a chunk of one part.
std::uint64_t heldOver(const std::vector<OperatorTensors>& operators) {
  PacedAllocator allocator(CachingAllocator::expandable(), std::nullopt);
  ActionReplay replay(allocator, 0, 0);
  ModuleTensors module;
  module.operators = operators;
  const ChunkTensors chunk{module};
  ActionReplay::Live live = replay.forward(chunk);
  replay.backward(chunk, live, ir::ActionKind::Backward);
  return allocator.mostReserved();
}
} // namespace

/// 16 bytes a logit at once, of which the last four find no hole: 16-bit logits and two fp32 steps
/// went away below what is kept.
TEST(ActionReplay, LossInSteps_TakesTwoBytesMoreThanItsTensors) {
  OperatorTensors logits, loss;
  logits.output = 2 * unit;
  loss.saved = {4 * unit}, loss.step = 4 * unit, loss.gradient = 2 * unit;
  EXPECT_EQ(heldOver({logits, loss}), 18 * unit);
  loss.step = 0, loss.backwardTemporary = 10 * unit;
  EXPECT_EQ(heldOver({logits, loss}), 18 * unit - 2 * unit) << "in one piece behind what is kept";
}

TEST(ActionReplay, WhatIsCopiedIntoOrder_IsThereTwice) {
  OperatorTensors norm;
  norm.saved = {8 * unit}, norm.unordered = 8 * unit;
  EXPECT_EQ(heldOver({norm}), 16 * unit);
}

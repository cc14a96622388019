#pragma once
//===- StageWords.h - Phrases that reports and messages share ---------------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// "4 stages, 8 micro-batches"; "8 stages on 4 ranks, …" if a rank has several stages.
std::string stagesAndMicroBatches(const ir::Plan& plan);
/// The fields that decide the launch-bound time, with their values: "`cuda_graphs = false` and
/// `micro_batch = 1seq` decide it". `capturable`: the framework of the plan can capture graphs.
std::string fieldsOfLaunches(const ir::Plan& plan, bool capturable);
/// The number format whose peak MFU divides by: the faster one of layers and head.
ir::DataType peakType(const ir::Plan& plan);
/// The fields that decide exposed expert communication, with their values.
std::string fieldsOfExpertCommunication(const ir::Plan& plan);
/// The slowest node pool that holds a pipeline rank, if other ranks compute faster: "slow devices
/// (pool `slow`, at 0.85 of the fastest rank's speed)". Otherwise empty.
std::string slowDevicesOf(const ir::Plan& plan, std::uint64_t pipelineRank);

} // namespace dpl::cost

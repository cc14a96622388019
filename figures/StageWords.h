#pragma once
//===- StageWords.h - Words that reports and messages share -----------------------------------===//
#include "ir/Plan.h"

namespace dpl::figures {

/// "4 stages, 8 micro-batches"; "8 stages on 4 ranks, …" where a rank has several.
std::string stagesAndMicroBatches(const ir::Plan& plan);
/// The fields that decide how long devices wait for launches, with their values:
/// "`graphs = false` and `micro_batch = 1seq` decide it".
std::string fieldsOfLaunches(const ir::Plan& plan);
/// The same of exposed communication between the ranks of experts.
std::string fieldsOfExpertCalls(const ir::Plan& plan);

} // namespace dpl::figures

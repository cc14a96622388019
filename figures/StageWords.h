#pragma once
//===- StageWords.h - How reports and messages count the stages of a pipeline -----------------===//
#include "ir/Plan.h"

namespace dpl::figures {

/// "4 stages, 8 micro-batches"; "8 stages on 4 ranks, …" where a rank has several.
std::string stagesAndMicroBatches(const ir::Plan& plan);

} // namespace dpl::figures

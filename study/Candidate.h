#pragma once
//===- Candidate.h - A candidate of a field as a number ---------------------------------------===//
#include "ir/Assertion.h"

namespace dpl::study {

/// "64seq", "0.05", "400Gbps per nic" in base units; nothing for what is no number.
std::optional<ir::ResultValue> candidateValue(llvm::StringRef text);

} // namespace dpl::study

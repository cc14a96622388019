#pragma once
//===- Candidate.h - A candidate of a field as a number ---------------------------------------===//
#include "ir/Space.h"

namespace dpl::study {

/// "64seq", "0.05", "400Gbps per nic" in base units; nothing for what is no number.
std::optional<ir::ResultValue> candidateValue(llvm::StringRef text);

/// A candidate of a field as a table shows it: "full" for "full { method = uniform, layers = 1 }"
/// where no other one is of that choice.
std::string shortCandidate(const ir::OpenField& field, std::uint64_t index);

/// That, or of several of one choice what differs between them: "cv = 0.3" for
/// "lognormal { cv = 0.3 }".
std::string changedFields(const ir::OpenField& field, std::uint64_t index);

} // namespace dpl::study

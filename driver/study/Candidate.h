#pragma once
//===- Candidate.h - A candidate of a field as tables and pictures show it --------------------===//
#include "ir/Space.h"

namespace dpl::study {

/// Of each path the shortest end that no other has: "nodes" for "pod.nodes".
std::vector<std::string> shortNames(const std::vector<ir::OpenField>& fields);

/// A candidate of a field as a table shows it: "full" for "full { method = uniform, layers = 1 }"
/// where no other one is of that choice.
std::string shortCandidate(const ir::OpenField& field, std::uint64_t index);

/// That, or of several of one choice what differs between them: "cv = 0.3" for
/// "lognormal { cv = 0.3 }".
std::string changedFields(const ir::OpenField& field, std::uint64_t index);

} // namespace dpl::study

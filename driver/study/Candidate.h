#pragma once
//===- Candidate.h - A candidate of a field in tables and pictures ----------------------------===//
#include "ir/Space.h"

namespace dpl::study {

/// The value of a candidate in expressions: a number, or the name of a choice without its fields.
ir::ResultValue valueOfCandidate(const ir::OpenField& field, std::uint64_t index);

/// For each field, the shortest end of its path that no other field has: "nodes" for "pod.nodes".
std::vector<std::string> shortNames(const std::vector<ir::OpenField>& fields);

/// The text of a candidate in a table. It is "full" for "full { method = uniform, layers = 1 }", if
/// no other candidate of the field is `full`.
std::string shortCandidate(const ir::OpenField& field, std::uint64_t index);

/// The same text, except that candidates that are the same choice are told apart by the fields that
/// differ: "cv = 0.3" for "lognormal { cv = 0.3 }".
std::string changedFields(const ir::OpenField& field, std::uint64_t index);

} // namespace dpl::study

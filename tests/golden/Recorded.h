#pragma once
//===- Recorded.h - The form in which outputs and emitted files are recorded ------------------===//
#include <string>

namespace dpl::test {

/// The text without what changes with the library: HASH, HASH2 … in the place of each plan's hash,
/// wherever it stands, and LINE for the number of a line of the library that a message shows, when
/// that line is the one it shows, and of one that a fact comes from, when a field begins there.
std::string masked(std::string text);

/// An emitted file, masked, in fewer lines, with nothing lost: of JSON as dplc writes it what fits
/// stands on one line, and the numbered rows of a plan.h stand several on a line.
std::string recordedForm(const std::string& text);

/// What makes `text` of `base`: for each place the line of `base` it stands before, the lines that
/// go and the lines that come. Both end with a line break.
std::string difference(const std::string& base, const std::string& text);

} // namespace dpl::test

#pragma once
//===- Month.h - Releases named by month ------------------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace dpl::ir {

/// The month of "2024.9" or "2024.09" as a number that grows by one per month; nothing if the text
/// is not a four-digit year and a month.
std::optional<unsigned> monthOf(llvm::StringRef text);
constexpr unsigned month(unsigned year, unsigned ofYear) { return 12 * year + ofYear - 1; }

} // namespace dpl::ir

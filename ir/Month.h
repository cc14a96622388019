#pragma once
//===- Month.h - Releases that are months -----------------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace dpl::ir {

/// Which month "2024.9" or "2024.09" is, a number that grows by one a month; nothing of what is no
/// year of four digits and month of it.
std::optional<unsigned> monthOf(llvm::StringRef text);
constexpr unsigned month(unsigned year, unsigned ofYear) { return 12 * year + ofYear - 1; }

} // namespace dpl::ir

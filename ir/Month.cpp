//===- Month.cpp - Releases named by month ----------------------------------------------------===//
#include "ir/Month.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace dpl;

std::optional<unsigned> ir::monthOf(llvm::StringRef text) {
  const auto [year, ofYear] = text.split('.');
  unsigned y = 0, m = 0;
  if (year.size() != 4 || ofYear.size() > 2 || !llvm::all_of(year, llvm::isDigit) ||
      !llvm::all_of(ofYear, llvm::isDigit) || year.getAsInteger(10, y) ||
      ofYear.getAsInteger(10, m) || m < 1 || m > 12)
    return std::nullopt;
  return month(y, m);
}

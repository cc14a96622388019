#pragma once
//===- Terminal.h - Width of the screens, and whether they have colours -----------------------===//
#include <optional>

namespace dpl::tool {

/// The value of COLUMNS, or without it the columns of the terminal on standard output, at least 60;
/// none if neither is known.
std::optional<unsigned> requestedWidth();
/// The width of screens; 100 if unknown.
unsigned terminalWidth();
/// The width of texts that already have line breaks; if unknown, the breaks are kept.
unsigned pageWidth();
/// The width of pictures; if unknown 80, which fits into mails and pages.
unsigned pictureWidth();
/// Whether a file descriptor is a terminal and NO_COLOR is not set.
bool hasColour(int descriptor);

} // namespace dpl::tool

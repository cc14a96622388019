#pragma once
//===- Terminal.h - How wide the screens are, and whether they have colours -------------------===//
#include <optional>

namespace dpl::tool {

/// The environment's COLUMNS, else the columns of the terminal on standard output, at least 60;
/// nothing where neither says.
std::optional<unsigned> requestedWidth();
/// For the screens: 100 where nothing says.
unsigned terminalWidth();
/// For texts that have lines of their own: they stay where nothing says.
unsigned pageWidth();
/// For pictures: 80 where nothing says, which fits a mail and a page.
unsigned pictureWidth();
/// Whether a file descriptor is a terminal and NO_COLOR is not set.
bool hasColour(int descriptor);

} // namespace dpl::tool

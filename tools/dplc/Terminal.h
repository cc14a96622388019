#pragma once
//===- Terminal.h - How wide the screens are --------------------------------------------------===//
#include <optional>

namespace dpl::tool {

/// The environment's COLUMNS, else the columns of the terminal on standard output, at least 60;
/// nothing where neither says.
std::optional<unsigned> widthAsked();
/// For the screens: 100 where nothing says.
unsigned terminalWidth();
/// For texts that have lines of their own: they stay where nothing says.
unsigned pageWidth();

} // namespace dpl::tool

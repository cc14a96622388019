#pragma once
//===- ActionStyle.h - How pictures of a schedule tell operations apart
//------------------------===//
#include "ir/Plan.h"
#include <array>
#include <string>

namespace dpl::report {

/// Of a kind of operation, the same in every picture. Chunks are shades, from the first to the
/// last.
struct ActionStyle {
  char letter = ' ';
  const char* word = "";
  std::array<unsigned, 3> light{}, dark{}; ///< red, green, blue
  std::array<unsigned, 4> terminal{};      ///< of the 256 colours of a terminal
};
const ActionStyle& styleOf(ir::ActionKind kind);

/// "#9ecae1": of a chunk of so many.
std::string shadeOf(ir::ActionKind kind, std::uint64_t chunk, std::uint64_t chunks);

/// The kinds that a schedule has, in the order of their enumerators.
std::vector<ir::ActionKind> kindsIn(const ir::Plan& plan);

} // namespace dpl::report

#pragma once
//===- ActionStyle.h - Letters and colours of actions in pictures of a schedule ---------------===//
#include "ir/Plan.h"
#include <array>
#include <string>

namespace dpl::report {

/// The style of one kind of action, which is the same in every picture. Chunks have shades between
/// `light`, of the first, and `dark`, of the last.
struct ActionStyle {
  char letter = ' ';
  const char* word = "";
  std::array<unsigned, 3> light{}, dark{}; ///< red, green, blue from 0 to 255
  std::array<unsigned, 4> terminal{};      ///< shades among the 256 colours of a terminal
};
const ActionStyle& styleOf(ir::ActionKind kind);

/// The colour of chunk number `chunk` among `chunks` chunks: "#9ecae1".
std::string shadeOf(ir::ActionKind kind, std::uint64_t chunk, std::uint64_t chunks);

/// The kinds of actions in a schedule, in the order of their enumerators.
std::vector<ir::ActionKind> kindsIn(const ir::Plan& plan);

/// The median duration of a forward pass in ps; 0 without any.
std::uint64_t medianForward(const ir::Plan& plan);

} // namespace dpl::report

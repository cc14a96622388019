#pragma once
//===- StrokeFont.h - Letters as lines --------------------------------------------------------===//
#include <string>
#include <utility>
#include <vector>

namespace dpl::report {

/// A line through points whose unit is a tenth of the size of the font; y rises from the base line.
using Stroke = std::vector<std::pair<int, int>>;
/// What a letter takes of the line.
constexpr int letterAdvance = 6;

/// The strokes of each code point of a text in UTF-8, one letter after the other; a box for those
/// that this font does not have.
std::vector<std::vector<Stroke>> lettersOf(const std::string& text);

} // namespace dpl::report

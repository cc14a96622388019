#pragma once
//===- SvgParts.h - What all pictures are made of ---------------------------------------------===//
#include <string>

namespace dpl::report {

/// A text for SVG, on one line.
std::string escaped(const std::string& text);
/// A line that fits into so many pixels at a size of letters: of one that does not the middle is
/// left out, most of it ahead of the end.
std::string fitted(const std::string& text, double pixels, double size);
/// The least of 1, 2 and 5 times a power of ten that cuts `range` into at most `parts`.
double roundStep(double range, double parts);
/// A picture of so many pixels on white; `title` is escaped.
std::string svgPage(double width, double height, const std::string& title,
                    const std::string& content);

} // namespace dpl::report

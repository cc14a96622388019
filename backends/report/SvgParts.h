#pragma once
//===- SvgParts.h - Shared parts of SVG pictures ----------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dpl::report {

/// Escapes a text for SVG, and makes it one line.
std::string escaped(const std::string& text);
/// Shortens a line to `pixels` at font size `size`. Text is removed from the middle, and more of
/// the beginning is kept than of the end.
std::string fitted(const std::string& text, double pixels, double size);
/// A figure, field or expression as words of a title: "step time" for `step_time`.
std::string inWords(llvm::StringRef name);
/// The smallest of 1, 2 and 5 times a power of ten that divides `range` into at most `parts`.
double roundStep(double range, double parts);
/// A white page of `width` × `height` pixels; `title` is escaped.
std::string svgPage(double width, double height, const std::string& title,
                    const std::string& content);

} // namespace dpl::report

//===- SvgParts.cpp - Shared parts of SVG pictures --------------------------------------------===//
#include "backends/report/SvgParts.h"
#include "support/Utf8.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;

std::string report::escaped(const std::string& text) {
  std::string out;
  for (const char c : oneLine(text))
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

std::string report::fitted(const std::string& text, double pixels, double size) {
  constexpr double wide = 0.56; // width of an average letter in the widest common fonts, relative
                                // to the font size
  const auto most = static_cast<std::size_t>(pixels / (wide * size));
  const std::size_t all = codePoints(text);
  if (all <= most)
    return text;
  const std::size_t first = most / 4, last = most - first - 1;
  std::size_t at = 0, head = 0, tail = 0;
  for (std::size_t i = 0; i < all; ++i) {
    if (i == first)
      head = at;
    if (i == all - last)
      tail = at;
    at += std::max<std::size_t>(1, utf8Length(llvm::StringRef(text).drop_front(at)));
  }
  return text.substr(0, head) + "…" + text.substr(tail);
}

std::string report::inWords(llvm::StringRef name) {
  std::string out = name.str();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool joins = out[i] == '.' && i + 1 < out.size() && llvm::isAlpha(out[i + 1]);
    if (joins || out[i] == '_')
      out[i] = ' ';
  }
  return out;
}

double report::roundStep(double range, double parts) {
  const double power = std::pow(10, std::floor(std::log10(range / parts)));
  for (const double times : {1.0, 2.0, 5.0})
    if (range / (times * power) <= parts)
      return times * power;
  return 10 * power;
}

std::string report::svgPage(double width, double height, const std::string& title,
                            const std::string& content) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 "
      "{0:g} {1:g}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\">\n"
      "<title>{2}</title>\n<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#fff\"/>\n{3}</svg>\n",
      width, height, title, content);
}

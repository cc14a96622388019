//===- SvgParts.cpp - What all pictures are made of -------------------------------------------===//
#include "backends/report/SvgParts.h"
#include "support/Utf8.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;

std::string report::escaped(const std::string& text) {
  std::string out;
  for (const char c : oneLine(text))
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
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

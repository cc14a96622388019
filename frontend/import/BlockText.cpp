//===- BlockText.cpp - Lines of a block of a .dpl file, and text of its values ----------------===//
#include "frontend/import/BlockText.h"
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

using namespace dpl::imports;

void BlockText::line(const char* field, const std::string& value) {
  lines += fmt::format("  {} = {}\n", field, value);
}
void BlockText::line(const char* field, std::uint64_t value) { line(field, std::to_string(value)); }
void BlockText::block(const char* field, const std::string& content) {
  lines += fmt::format("  {} {{ {} }}\n", field, content);
}
std::string BlockText::release() { return std::exchange(lines, {}); }

bool dpl::imports::contains(NumberRange range, double value) {
  return std::isfinite(value) &&
         (range == NumberRange::Any        ? true
          : range == NumberRange::Positive ? value > 0
                                           : value >= 0) &&
         (range != NumberRange::Share || value < 1);
}

const char* dpl::imports::needed(NumberRange range) {
  switch (range) {
  case NumberRange::Any:
    return "a number";
  case NumberRange::NotNegative:
    return "a number of at least 0";
  case NumberRange::Positive:
    return "a number above 0";
  case NumberRange::Share:
    break;
  }
  return "a number of at least 0 and below 1";
}

std::string dpl::imports::truth(bool value) { return value ? "true" : "false"; }

std::string dpl::imports::number(double value) {
  const std::string shortest = fmt::format("{}", value);
  if (shortest.find_first_of("e.") != std::string::npos)
    return shortest;
  std::string text = fmt::format("{:f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  return text + (text.back() == '.' ? "0" : "");
}

const char* dpl::imports::neededCount(llvm::StringRef given) {
  const bool digits = !given.empty() && given.find_first_not_of("0123456789") == given.npos;
  return digits && given.find_first_not_of('0') != given.npos ? "a whole number below 2^64"
                                                              : "a whole number of at least 1";
}

std::string dpl::imports::product(double a, double b) {
  return number(std::strtod(fmt::format("{:.12g}", a * b).c_str(), nullptr));
}

//===- Page.cpp - Scores as one self-contained page -------------------------------------------===//
#include "driver/score/Screen.h"
using namespace dpl;
using namespace dpl::score;

std::string score::page(const Json& scores) {
  std::string json = scores.dump();
  // `<` is escaped, so that a text of a table cannot end the HTML element that contains it.
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at))
    json.replace(at, 1, "\\u003c");
  const auto [head, tail] = pageTemplate().split("@DATA@");
  return head.str() + json + tail.str();
}

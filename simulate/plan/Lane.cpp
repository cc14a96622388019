//===- Lane.cpp - A row of a timeline in text columns -----------------------------------------===//
#include "simulate/plan/Lane.h"
#include <algorithm>

using namespace dpl::simulation;

void Lane::add(char sign, std::uint64_t begin, std::uint64_t behind) {
  const double column = static_cast<double>(end) / static_cast<double>(has.size());
  const auto from = static_cast<double>(begin), to = static_cast<double>(behind);
  const auto last = std::min(has.size() - 1, static_cast<std::size_t>(to / column));
  for (auto at = static_cast<std::size_t>(from / column); at <= last; ++at) {
    const double begins = static_cast<double>(at) * column;
    if (const double of = std::min(to, begins + column) - std::max(from, begins); of > 0)
      has[at][sign] += of;
  }
}

std::string Lane::text() const {
  std::string text(has.size(), ' ');
  for (std::size_t at = 0; at < has.size(); ++at)
    if (!has[at].empty())
      text[at] = std::max_element(has[at].begin(), has[at].end(), [](const auto& a, const auto& b) {
                   return a.second < b.second;
                 })->first;
  return text;
}

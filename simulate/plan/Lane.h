#pragma once
//===- Lane.h - A row of a timeline in text columns -------------------------------------------===//
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dpl::simulation {

/// A row of signs, one per column. Each column has the sign of the longest part in it, or is blank.
class Lane {
public:
  Lane(std::size_t columns, std::uint64_t end) : has(columns), end(end) {}
  void add(char sign, std::uint64_t from, std::uint64_t to);
  std::string text() const;

private:
  std::vector<std::map<char, double>> has;
  std::uint64_t end;
};

} // namespace dpl::simulation

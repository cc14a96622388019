#pragma once
//===- Lane.h - What happens over a time, in so many columns ----------------------------------===//
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dpl::simulation {

/// A sign for each column, of what has most of it; blank where nothing has any.
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

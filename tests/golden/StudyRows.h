#pragma once
//===- StudyRows.h - What a study of the examples gives ---------------------------------------===//
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace dpl::test {

/// The rows of a study of a file of examples/, in the order of its points.
class Rows {
public:
  Rows(const std::string& file, const std::string& study);
  std::size_t size() const { return all.size(); }
  double value(std::size_t row, const char* output) const;
  std::vector<double> column(const char* output) const {
    std::vector<double> out;
    for (std::size_t row = 0; row < size(); ++row)
      out.push_back(value(row, output));
    return out;
  }
  /// Why a point is refused; empty where it is not.
  std::string refused(std::size_t row) const {
    const dpl::Json& why = all[row]["refused"];
    return why.is_string() ? why.get<std::string>() : "";
  }
  std::string at(std::size_t row, const char* path) const {
    return all[row]["values"].value(path, std::string());
  }

private:
  dpl::Json all = dpl::Json::array();
};

} // namespace dpl::test

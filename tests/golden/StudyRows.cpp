//===- StudyRows.cpp - What a study of the examples gives -------------------------------------===//
#include "tests/golden/StudyRows.h"
using namespace dpl::test;

Rows::Rows(const std::string& file, const std::string& study) {
  const Outcome run = dplc({"study", "--json", "examples/" + file + ".dpl", study});
  EXPECT_EQ(run.exitCode, 0) << run.error;
  const dpl::Json json = dpl::Json::parse(run.out);
  if (json.is_object())
    all = json["rows"];
  EXPECT_FALSE(all.empty());
}

double Rows::value(std::size_t row, const char* output) const {
  const dpl::Json& found = all[row]["outputs"][output];
  EXPECT_TRUE(found.is_object()) << output << " of point " << row << ": " << all[row].dump();
  return found.is_object() ? found["value"].get<double>() : std::nan("");
}

//===- ImportedPlan.cpp - What an import has to bring back of a plan --------------------------===//
#include "tests/golden/ImportedPlan.h"
#include "tests/SourceFolder.h"
#include "tests/golden/Runner.h"
#include <gtest/gtest.h>
#include <sstream>
using namespace dpl::test;

std::vector<std::string> dpl::test::ofFramework(const std::string& file,
                                                const std::string& framework) {
  std::vector<std::string> out;
  if (!framework.empty())
    out = {"--set", "layout.framework=" + framework};
  std::istringstream lines(slurp(sourceFolder() / file));
  for (std::string line, cluster = "cluster "; std::getline(lines, line);)
    if (line.rfind(cluster, 0) == 0 && line.find(" from clusters.dgx_h100 ") != std::string::npos) {
      const std::string name =
          line.substr(cluster.size(), line.find(' ', cluster.size()) - cluster.size());
      out.insert(out.end(), {"--set", name + ".node.gpu.memory=288GB"});
    }
  return out;
}

std::string dpl::test::refusedBy(const std::string& target, const std::string& file) {
  std::vector<std::string> arguments{"check", "--target", target, file};
  for (const std::string& word : ofFramework(file, ""))
    arguments.push_back(word);
  const Outcome outcome = dplc(arguments);
  return outcome.exitCode == 0 ? "" : outcome.error;
}

namespace {
/// A printed plan whose blocks `kernels { … }` have a line for each field. The printer writes a
/// block on one line where it fits, which depends on the values.
std::string unfolded(const std::string& plan) {
  const std::string begin = "    kernels { ";
  std::istringstream lines(plan);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(begin, 0) != 0) {
      out += line + "\n";
      continue;
    }
    out += "    kernels {\n      ";
    for (std::size_t at = begin.size(); at + 2 < line.size(); ++at)
      if (line[at] == ',')
        out += "\n     ";
      else
        out += line[at];
    out += "\n    }\n";
  }
  return out;
}
} // namespace

std::string dpl::test::importedPlan(const std::string& file, const std::set<std::string>& without,
                                    const std::string& framework) {
  std::vector<std::string> arguments{"ir", file};
  for (const std::string& word : ofFramework(file, framework))
    arguments.push_back(word);
  const Outcome outcome = dplc(arguments);
  EXPECT_EQ(outcome.exitCode, 0) << file << "\n" << outcome.error;
  std::istringstream lines(unfolded(outcome.out));
  std::string kept, section;
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > 2 && line[2] != ' ' && line[2] != '}' && line.rfind("  ", 0) == 0)
      section = line.substr(2, line.find_first_of(" =", 2) - 2); // what stands in `plan { }`
    const std::size_t word = line.find_first_not_of(' ');
    const std::string field =
        word == std::string::npos ? "" : line.substr(word, line.find_first_of(" =", word) - word);
    const bool compared =
        section == "model" || section == "layout" || section == "mesh" || section == "chunk";
    const bool asked =
        section == "layout" &&
        (field == "axis" || field == "expert_axis" || field == "automatic" || field == "open" ||
         field == "has_experts" || field == "split" || field == "split_layers" ||
         field == "embedding_slots" || field == "head_slots" || field == "micro_batch_given");
    std::string text = line.substr(0, line.find(", level = "));
    if (compared && !asked && field != "name" && field != "auto" && field != "momentum" &&
        without.count(section + "." + field) == 0)
      kept += text + "\n";
  }
  return kept;
}

//===- LibraryFiguresTest.cpp - Figures of the library against their sources ------------------===//
#include "cost/compute/LayerCost.h"
#include "frontend/Frontend.h"
#include "frontend/sema/ParsedFiles.h"
#include <algorithm>
#include <cctype>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace dpl;

namespace {

struct Compiled {
  SourceManager sources;
  DiagnosticEngine diags;
  std::vector<ir::Plan> plans;
};

/// Compiles `text` as a file of its own; a message is a failure of the test.
std::unique_ptr<Compiled> compile(const std::string& text) {
  auto result = std::make_unique<Compiled>();
  FrontendOptions options;
  const FileReader reader = [&](const std::string&) -> FileText { return text; };
  ParsedFiles files(result->sources, reader);
  Compilation compilation(files, result->diags, options);
  FailureOr<CompiledFile> file = compilation.compile("test.dpl");
  for (const Diagnostic& d : result->diags.diagnostics())
    ADD_FAILURE() << d.info.code << ": " << d.message << "\n" << text;
  if (!file.failed())
    result->plans = std::move(file->plans);
  return result;
}

ir::Plan planOf(const std::string& model, const std::string& cluster, const std::string& batch) {
  auto compiled = compile("import std.models\nimport std.clusters\nmodel m from models." + model +
                          "\ncluster c from clusters." + cluster +
                          "\nlayout l for m on c {\n  batch = " + batch + "\n  mesh = auto\n}\n");
  return compiled->plans.empty() ? ir::Plan() : compiled->plans.front();
}

/// Names of the blocks that a module declares: lines `kind name …` that open or amend something.
std::vector<std::string> declarations(llvm::StringRef module) {
  std::vector<std::string> names;
  std::istringstream lines(libraryText(module).str());
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || !std::isalpha(static_cast<unsigned char>(line[0])))
      continue;
    std::istringstream words(line);
    std::string kind, name;
    words >> kind >> name;
    if (kind != "import" && kind != "schema" && kind != "let")
      names.push_back(name);
  }
  return names;
}

bool namesAYear(llvm::StringRef text) {
  for (std::size_t i = 0; i + 4 <= text.size(); ++i)
    if (text.substr(i).startswith("20") && std::isdigit(static_cast<unsigned char>(text[i + 2])) &&
        std::isdigit(static_cast<unsigned char>(text[i + 3])))
      return true;
  return false;
}

struct Published {
  const char* model;
  double parameters, active; ///< 1e9; `active` 0 where it is the same
};

class PublishedModel : public testing::TestWithParam<Published> {};

TEST_P(PublishedModel, HasItsPublishedParameters) {
  const ir::Plan plan = planOf(GetParam().model, "dgx_h100", "64seq");
  const double rounding = GetParam().parameters > 1.6 ? 0.051 : 0.002; // of the printed figure
  EXPECT_NEAR(cost::totalParameters(plan.model) / 1e9, GetParam().parameters,
              std::max(0.002 * GetParam().parameters, rounding));
  if (GetParam().active > 0) {
    EXPECT_NEAR(cost::activeParameters(plan.model) / 1e9, GetParam().active,
                0.02 * GetParam().active);
  }
}

// Counts as the papers and model cards print them; see stdlib/models.dpl for the sources.
INSTANTIATE_TEST_SUITE_P(
    Library, PublishedModel,
    testing::Values(Published{"gpt2_small", 0.124, 0}, Published{"gpt2_medium", 0.355, 0},
                    Published{"gpt2_large", 0.774, 0}, Published{"gpt2_xl", 1.558, 0},
                    Published{"gpt3_175b", 174.6, 0}, Published{"megatron_1_7b", 1.7, 0},
                    Published{"megatron_3_6b", 3.6, 0}, Published{"megatron_7_5b", 7.5, 0},
                    Published{"megatron_18b", 18.4, 0}, Published{"megatron_39b", 39.1, 0},
                    Published{"megatron_76b", 76.1, 0}, Published{"megatron_145b", 145.6, 0},
                    Published{"megatron_310b", 310.1, 0}, Published{"megatron_530b", 529.6, 0},
                    Published{"megatron_1t", 1008.0, 0}, Published{"llama2_7b", 6.738, 0},
                    Published{"llama2_13b", 13.016, 0}, Published{"llama2_70b", 68.977, 0},
                    Published{"llama3_8b", 8.03, 0}, Published{"llama3_70b", 70.554, 0},
                    Published{"llama3_405b", 405.85, 0}, Published{"mixtral_8x7b", 46.7, 12.9},
                    Published{"mixtral_8x22b", 140.6, 39.1}, Published{"qwen2_5_0_5b", 0.494, 0},
                    Published{"qwen2_5_1_5b", 1.544, 0}, Published{"qwen2_5_7b", 7.616, 0},
                    Published{"qwen2_5_14b", 14.77, 0}, Published{"qwen2_5_32b", 32.76, 0},
                    Published{"qwen2_5_72b", 72.71, 0}, Published{"qwen3_0_6b", 0.596, 0},
                    Published{"qwen3_1_7b", 1.72, 0}, Published{"qwen3_4b", 4.02, 0},
                    Published{"qwen3_8b", 8.19, 0}, Published{"qwen3_14b", 14.77, 0},
                    Published{"qwen3_32b", 32.76, 0}, Published{"qwen3_30b_a3b", 30.53, 3.35},
                    Published{"qwen3_235b_a22b", 235.1, 22.2}, Published{"bert_large", 0.335, 0}),
    [](const auto& info) { return std::string(info.param.model); });

TEST(LibraryFigures, ResNet50HasThePublishedParametersAndFlop) {
  const ir::Plan plan = planOf("resnet50", "dgx_a100", "256sample");
  EXPECT_DOUBLE_EQ(cost::totalParameters(plan.model), 25'557'032);
  // Forward, 4.089 GMAC × 2.
  EXPECT_DOUBLE_EQ(cost::modelFlopPerToken(plan.model).all, 8'178'368'512);
}

TEST(LibraryFigures, EveryDeclarationIsDocumented) {
  for (const std::string& module : libraryModules()) {
    if (module == "prelude")
      continue;
    for (const std::string& name : declarations(module)) {
      const std::string text = showLibrary("std." + module + "." + name);
      EXPECT_TRUE(llvm::StringRef(text).startswith("///")) << module << "." << name;
    }
  }
}

TEST(LibraryFigures, EveryFigureOfAMachineNamesADatedSource) {
  for (const char* module : {"devices", "servers", "clusters"})
    for (const std::string& name : declarations(module))
      EXPECT_TRUE(namesAYear(showLibrary(std::string("std.") + module + "." + name)))
          << module << "." << name;
}

TEST(LibraryFigures, EveryClusterCarriesAModel) {
  for (const std::string& name : declarations("clusters")) {
    const ir::Plan plan = planOf("gpt2_small", name, "1152seq");
    EXPECT_GT(plan.cluster.devices(), 0u) << name;
    EXPECT_GE(plan.cluster.levels.size(), 1u) << name;
    EXPECT_GT(plan.cluster.network.find(ir::LinkKind::Port)->bandwidth, 0u) << name;
  }
}

} // namespace

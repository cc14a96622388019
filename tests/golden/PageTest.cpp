//===- PageTest.cpp - Pages of `--html`: their data, size and safety --------------------------===//
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
using namespace dpl;
using namespace dpl::test;

namespace {
using Arguments = std::vector<std::string>;
constexpr std::size_t mostBytes = 1'500'000;
const std::string dataBegin = "<script type=\"application/json+deflate\" id=\"data\">";

std::string example(const char* name) { return fmt::format("examples/{}.dpl", name); }

/// The page that a command writes.
std::string pageOf(Arguments command) {
  const TemporaryFolder folder;
  const fs::path file = folder.path / "page.html";
  command.insert(command.end(), {"--html", file.string()});
  const Outcome done = dplc(command);
  EXPECT_EQ(done.exitCode, 0) << done.error;
  return slurp(file);
}

/// The bytes of a base64 text; empty if it is none.
std::string decoded(llvm::StringRef text) {
  static constexpr llvm::StringLiteral digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text.rtrim('=')) {
    const std::size_t digit = digits.find(c);
    if (digit == llvm::StringRef::npos)
      return "";
    bits = bits << 6 | static_cast<std::uint32_t>(digit), count += 6;
    if (count >= 8)
      count -= 8, out += static_cast<char>(bits >> count & 0xff);
  }
  return out;
}

/// The data of a page; null after a failure.
Json dataOf(const std::string& page) {
  const std::size_t begin = page.find(dataBegin);
  const std::size_t end = page.find("</script>", begin);
  if (begin == std::string::npos || end == std::string::npos) {
    ADD_FAILURE() << "the page has no data";
    return {};
  }
  const std::size_t from = begin + dataBegin.size();
  const std::string bytes = decoded(llvm::StringRef(page).slice(from, end));
  llvm::SmallVector<char, 0> text;
  constexpr std::size_t mostText = 64 << 20;
  if (llvm::Error wrong = llvm::zlib::uncompress(bytes, text, mostText)) {
    ADD_FAILURE() << llvm::toString(std::move(wrong));
    return {};
  }
  return Json::parse(llvm::StringRef(text.data(), text.size()));
}

Json printedBy(Arguments command) {
  command.push_back("--json");
  const Outcome done = dplc(std::move(command));
  EXPECT_EQ(done.exitCode, 0) << done.error;
  return Json::parse(done.out);
}
} // namespace

TEST(Page, OfAReport_HasWhatTheCommandsPrint) {
  const Arguments report{"report", example("llama3_70b_h100")};
  const auto with = [&](const char* option) {
    Arguments command = report;
    command.push_back(option);
    return command;
  };
  const Json data = dataOf(pageOf(report));
  EXPECT_EQ(data["kind"].str(), "report");
  EXPECT_EQ(data["title"].str(), "dense3d of llama3_70b_h100.dpl") << "without folders";
  EXPECT_EQ(data["answers"], printedBy(report));
  ASSERT_EQ(data["layouts"].size(), 1U);
  const Json& layout = data["layouts"][0];
  EXPECT_EQ(layout["timeline"], printedBy(with("--timeline")));
  EXPECT_EQ(layout["memory"], printedBy(with("--memory")));
  Arguments screen = report;
  screen.insert(screen.begin(), "COLUMNS=100");
  EXPECT_EQ(data["screen"].str(), dplc(screen).out);
  EXPECT_EQ(data["source"][0]["text"].str(), slurp(sourceFolder() / report[1]));
  EXPECT_EQ(data["source"].size(), 1U) << "the library is no file of the user";
  ASSERT_FALSE(layout["advice"].empty());
  const Json& best = layout["advice"][0];
  EXPECT_EQ(best["change"].str(), "overlap.tensor = true");
  EXPECT_NE(best["reason"].str().find(" less exposed communication (tensor)"), std::string::npos);
  EXPECT_EQ(best["of_defaults"], Json(true)) << "the file sets no overlap";
  EXPECT_EQ(layout["heading"]["recompute"].str(), "selective [core_attention]");
  EXPECT_NE(layout["heading"]["assumed"].str().find("`nic`"), std::string::npos);
}

/// The numbers of a link have derivations down to figures of the report.
void expectDerivation(const Json& layout, const Json& figures, const Json& link) {
  const Json& details = layout["details"];
  const std::string path = link["path"].str();
  EXPECT_EQ(details[path + ".busy_share"]["value"], link["share"]);
  EXPECT_EQ(details[path + ".busy"]["value"], link["busy_s"]);
  EXPECT_EQ(details[path + ".sent"]["value"], link["sent_bytes"]);
  for (const Json& user : link["users"]) {
    const Json& sent = details[user["path"].str()];
    EXPECT_EQ(sent["value"], user["sent_bytes"]);
    double known = 0;
    for (const Json& input : sent["inputs"])
      known += figures[input.str()]["value"].get<double>();
    if (sent.contains("formula"))
      EXPECT_NEAR(known * link["devices"].get<double>() / link["count"].get<double>() /
                      sent["value"].get<double>(),
                  1, 1e-9)
          << user["path"].str();
  }
}

/// The links carry what the figures of traffic say, and each operator has figures in `details`.
TEST(Page, LinksAndOperators_AgreeWithTheFigures) {
  for (const char* name : {"llama3_70b_h100", "llama3_405b_h100", "dualpipe_v3_h800"}) {
    const Json data = dataOf(pageOf({"report", example(name)}));
    const Json &layout = data["layouts"][0], &figures = data["answers"]["figures"];
    bool ports = false;
    for (const Json& link : layout["links"]) {
      double users = 0;
      for (const Json& user : link["users"])
        users += user["sent_bytes"].get<double>();
      EXPECT_NEAR(users / link["sent_bytes"].get<double>(), 1, 1e-9) << name;
      EXPECT_GT(link["share"].get<double>(), 0) << name;
      EXPECT_LT(link["share"].get<double>(), 1) << name;
      ports = ports || link["kind"].str() == "port";
      EXPECT_NEAR(link["busy_s"].get<double>(),
                  link["sent_bytes"].get<double>() * 8 / link["bandwidth_bps"].get<double>(), 1e-9);
      expectDerivation(layout, figures, link);
    }
    EXPECT_TRUE(ports) << name;
    EXPECT_FALSE(layout["operators"].empty()) << name;
    for (const Json& row : layout["operators"]) {
      const std::string path = row["figure"].str();
      EXPECT_EQ(layout["details"][path]["value"], row["time_s"]) << path;
      EXPECT_FALSE(figures.contains(path)) << path;
      EXPECT_EQ(row["peak_type"].is_null(), row["peak_flops"].is_null()) << path;
    }
  }
}

/// The operators of the rank that sets the step take the time of its kernels, recomputed ones too.
TEST(Page, OperatorsTimesTheirRuns_AreTheTimeOfTheKernels) {
  for (const char* name : {"llama3_70b_h100", "unequal_nodes", "mixtral_8x22b_h100"}) {
    const Json data = dataOf(pageOf({"report", example(name)}));
    const Json& figures = data["answers"]["figures"];
    double sum = 0;
    for (const Json& row : data["layouts"][0]["operators"]) {
      sum += row["time_s"].get<double>() * row["runs"].get<double>();
      EXPECT_EQ(row["peak_flops"].is_null(), row["flop"].get<double>() == 0) << row["figure"].str();
    }
    EXPECT_NEAR(sum / (figures["time.compute"]["value"].get<double>() +
                       figures["time.recompute"]["value"].get<double>()),
                1, 1e-6)
        << name;
  }
}

TEST(Page, OfEachCommand_HasItsJson) {
  const TemporaryFolder folder;
  const std::string searched = (folder.path / "search.dpl").string();
  spill(searched, "import std.models\nimport std.clusters\n"
                  "model llm from models.gpt2_small\n"
                  "cluster node from clusters.dgx_h100 { nodes = 1 }\n"
                  "search layout best for llm on node {\n"
                  "  batch = 64seq\n"
                  "  mesh { data = rest, tensor in [1, 2, 4] within domain }\n"
                  "  micro_batch in [1seq, 2seq, 4seq]\n"
                  "  minimize pareto(step_time, memory.peak)\n}\n");
  const std::string tuning = example("fine_tuning");
  const std::vector<Arguments> commands = {
      {"diff", tuning, "--layout", "adapters", "--against", "adapters_on_4_bits"},
      {"study", example("studies/pipeline_schedules"), "modern"},
      {"simulate", example("causes"), "--layout", "held_up", "--steps", "20"},
      {"search", searched},
      {"score", "tests/accuracy/published_layouts.csv", "--where", "family=Megatron-Bridge"}};
  const std::size_t layouts[] = {2, 0, 1, 1, 0};
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Arguments& command = commands[i];
    const std::string page = pageOf(command);
    const Json data = dataOf(page), json = printedBy(command);
    EXPECT_EQ(page, pageOf(command)) << command[0];
    EXPECT_EQ(data["kind"].str(), command[0]);
    for (const auto& [key, value] : json.items())
      EXPECT_EQ(data["answers"][key], value) << command[0] << " " << key;
    EXPECT_EQ(data["layouts"].size(), layouts[i]) << command[0];
    for (const Json& layout : data["layouts"])
      EXPECT_TRUE(layout["report"].contains("figures")) << command[0];
    EXPECT_LE(page.size(), mostBytes);
  }
}

/// Each point has its outputs and the figures that they are computed from, and the screen's
/// sentence about the field that changes most.
TEST(Page, OfAStudy_HasDerivationsAndSensitivity) {
  const Arguments study{"study", example("studies/pipeline_schedules"), "modern"};
  const Json data = dataOf(pageOf(study));
  Arguments screen = study;
  screen.insert(screen.begin(), "COLUMNS=200");
  const std::string sentence = data["answers"]["sensitivity_text"].str();
  EXPECT_NE(dplc(screen).out.find(sentence), std::string::npos) << sentence;
  ASSERT_EQ(data["derivations"].size(), data["answers"]["rows"].size());
  const Json& first = data["derivations"][0]["figures"];
  for (std::size_t i = 0; i < data["derivations"].size(); ++i) {
    const Json &point = data["derivations"][i], &row = data["answers"]["rows"][i];
    EXPECT_EQ(point["point"], row["point"]);
    const Json& own = point["figures"];
    for (const auto& [output, value] : row["outputs"].items())
      if (value.is_object())
        EXPECT_EQ((own.contains(output) ? own : first)[output]["value"], value["value"]) << output;
    for (const auto& [path, figure] : own.items())
      for (const Json& input : figure["inputs"])
        EXPECT_TRUE(own.contains(input.str()) || first.contains(input.str())) << path;
  }
  EXPECT_EQ(first["best"]["formula"].str(), "pareto(bubble_fraction, memory.rank[0].activations)");
}

TEST(Page, OfADiagnosis_HasCausesPathAndTimeline) {
  const Json data =
      dataOf(pageOf({"simulate", example("causes"), "--layout", "amplified", "--diagnose"}));
  for (const char* key : {"diagnosis", "critical_path", "timeline", "step"})
    EXPECT_TRUE(data["answers"].contains(key)) << key;
}

/// Texts of the user stand in the data, which is compressed, and are escaped everywhere else.
TEST(Page, HostileTexts_AreEscaped) {
  const TemporaryFolder folder;
  const std::string hostile = "</script></noscript><img src=x onerror=alert(1)>",
                    name = "<b onclick=alert(2)>.dpl";
  std::string plan = slurp(sourceFolder() / example("smallest"));
  plan = fmt::format("// {}\n{}", hostile, plan);
  const std::size_t layout = plan.find('{', plan.find("layout "));
  ASSERT_NE(layout, std::string::npos);
  plan.insert(layout + 1, fmt::format("\n  notes = \"{}\"\n", hostile));
  spill(folder.path / name, plan);
  const Outcome done = dplc({"report", name, "--html", "page.html"}, folder.path);
  ASSERT_EQ(done.exitCode, 0) << done.error;
  const std::string page = slurp(folder.path / "page.html");
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("<b onclick"), std::string::npos);
  EXPECT_NE(page.find("&lt;b onclick=alert(2)&gt;.dpl"), std::string::npos);
  const Json data = dataOf(page);
  EXPECT_EQ(data["source"][0]["path"].str(), name);
  EXPECT_EQ(data["source"][0]["text"].str(), plan);
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = page.find("</script", at)) != std::string::npos; ++at)
    ++ends;
  const std::string plain = pageOf({"report", example("smallest")});
  std::size_t usual = 0;
  for (std::size_t at = 0; (at = plain.find("</script", at)) != std::string::npos; ++at)
    ++usual;
  EXPECT_EQ(ends, usual);
}

/// A page does not depend on the terminal, on the number of threads, or on the run.
TEST(Page, OfTheSamePlan_HasTheSameBytes) {
  const TemporaryFolder folder;
  const std::string plan = (sourceFolder() / example("deepseek_v3_h800")).string();
  std::vector<std::string> pages;
  for (const char* width : {"COLUMNS=70", "COLUMNS=150"}) {
    const std::string file = (folder.path / "page.html").string();
    ASSERT_EQ(dplc({width, "report", plan, "--html", file}).exitCode, 0);
    pages.push_back(slurp(file));
  }
  EXPECT_EQ(pages[0], pages[1]);
  EXPECT_LE(pages[0].size(), mostBytes);
}

TEST(Page, OfDualPipeOnSixteenStages_IsSmallAndTheSame) {
  const TemporaryFolder folder;
  const std::string file = (folder.path / "paired.dpl").string();
  spill(file, "import std.models\nimport std.clusters\n"
              "cluster pod from clusters.dgx_h100 { nodes = 16 }\n"
              "layout paired for models.llama3_8b on pod {\n"
              "  mesh { pipeline = 16, data = 8 }\n"
              "  batch = 1024seq\n  micro_batch = 1seq\n"
              "  schedule = dualpipe\n  shard { optimizer = data }\n}\n");
  const std::string page = pageOf({"report", file});
  EXPECT_LE(page.size(), mostBytes);
  EXPECT_TRUE(page == pageOf({"report", file}));
  const Json timeline = dataOf(page)["layouts"][0]["timeline"];
  ASSERT_EQ(timeline["ranks"].size(), 16U);
  for (const Json& rank : timeline["ranks"]) {
    EXPECT_FALSE(rank.contains("left_out"));
    EXPECT_GE(rank["actions"].size(), 2 * 128U);
  }
}

/// The slices of `--timeline`, without those of the middle that a page leaves out.
TEST(Page, OfALongSchedule_HasSlicesOfTheTimeline) {
  const Arguments report{"report", example("dualpipe_v3_h800"), "--set", "layout.batch=131_072seq"};
  Arguments printed = report;
  printed.emplace_back("--timeline");
  const Json page = dataOf(pageOf(report))["layouts"][0]["timeline"], whole = printedBy(printed);
  EXPECT_EQ(page["segments"], whole["segments"]);
  ASSERT_EQ(page["ranks"].size(), whole["ranks"].size());
  for (std::size_t rank = 0; rank < page["ranks"].size(); ++rank) {
    const Json &some = page["ranks"][rank]["actions"], &all = whole["ranks"][rank]["actions"],
               &gap = page["ranks"][rank]["left_out"];
    const auto leftOut = gap["actions"].get<std::size_t>();
    ASSERT_EQ(some.size() + leftOut, all.size());
    std::size_t first = 0;
    while (first < some.size() && some[first] == all[first])
      ++first;
    EXPECT_EQ(gap["begin_ps"], all[first]["begin_ps"]);
    EXPECT_EQ(gap["end_ps"], all[first + leftOut - 1]["end_ps"]);
    for (std::size_t i = first; i < some.size(); ++i)
      ASSERT_EQ(some[i], all[i + leftOut]) << "rank " << rank;
  }
}

/// Of a very long schedule the middle is left out, and the data says so.
TEST(Page, OfALongSchedule_LeavesOutItsMiddle_Slow) {
  const std::string page =
      pageOf({"report", example("deepseek_v3_h800"), "--set", "layout.batch=245_760seq"});
  EXPECT_LE(page.size(), mostBytes);
  const Json data = dataOf(page);
  std::size_t actions = 0, leftOut = 0;
  for (const Json& rank : data["layouts"][0]["timeline"]["ranks"]) {
    actions += rank["actions"].size();
    leftOut += rank["left_out"]["actions"].get<std::size_t>();
    EXPECT_LT(rank["left_out"]["begin_ps"].get<double>(), rank["left_out"]["end_ps"].get<double>());
  }
  EXPECT_LE(actions, 24'000U);
  EXPECT_GT(leftOut, actions);
  const Json& memory = data["layouts"][0]["memory"];
  std::uint64_t peak = 0;
  for (const Json& moment : memory["fullest"]["timeline"])
    peak = std::max(peak, moment["all_bytes"].get<std::uint64_t>());
  EXPECT_EQ(memory["fullest"]["timeline"].size(), 4'000U);
  EXPECT_EQ(memory["ranks"][memory["fullest"]["rank"].get<std::size_t>()]["peak_bytes"],
            Json(peak));
}

TEST(Page, OfTwoLongSchedules_IsSmall_Slow) {
  const std::string page = pageOf({"diff", example("deepseek_v3_h800"), example("dualpipe_v3_h800"),
                                   "--set", "layout.batch=245_760seq"});
  EXPECT_LE(page.size(), mostBytes);
  const Json data = dataOf(page);
  ASSERT_EQ(data["layouts"].size(), 2U);
  for (const Json& layout : data["layouts"])
    EXPECT_GT(layout["timeline"]["ranks"][0]["left_out"]["actions"].get<std::size_t>(), 0U);
}

TEST(Page, WithoutAnAnswer_IsNotWritten) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path / "folder");
  const std::string plan = (sourceFolder() / example("smallest")).string();
  EXPECT_EQ(dplc({"report", plan, "--html", "folder"}, folder.path).exitCode, 3);
  EXPECT_TRUE(fs::is_directory(folder.path / "folder"));
  spill(folder.path / "wrong.dpl", "layout x for nothing on nowhere { }\n");
  EXPECT_EQ(dplc({"report", "wrong.dpl", "--html", "page.html"}, folder.path).exitCode, 1);
  EXPECT_FALSE(fs::exists(folder.path / "page.html"));
  fs::copy_file(plan, folder.path / "plan.dpl");
  EXPECT_EQ(dplc({"report", "plan.dpl", "--html", "plan.dpl"}, folder.path).exitCode, 3);
  EXPECT_EQ(slurp(folder.path / "plan.dpl"), slurp(plan));
}

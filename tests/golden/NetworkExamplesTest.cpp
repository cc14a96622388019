//===- NetworkExamplesTest.cpp - The links that examples/network are about --------------------===//
//
// DPL_UPDATE=1 writes the table of examples/network/README.md anew.
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
using namespace dpl::test;

namespace {
/// Of a layout the step and, by collective and group, the busiest link at the size that takes
/// longest.
struct Layout {
  double step = 0;
  std::map<std::string, std::string> busiest;
  std::map<std::string, double> seconds; ///< of one call of that size
};

dpl::Json reported(const std::string& file, const std::string& layout, const char* option) {
  std::vector<std::string> command = {"report", "--json", "examples/network/" + file + ".dpl",
                                      "--layout", layout};
  if (option)
    command.push_back(option);
  const Outcome run = dplc(command);
  EXPECT_EQ(run.exitCode, 0) << run.error;
  return dpl::Json::parse(run.out);
}

Layout layoutOf(const std::string& file, const std::string& name) {
  Layout out;
  const dpl::Json plain = reported(file, name, nullptr);
  out.step = plain["figures"]["step_time"].value("value", 0.0);
  const dpl::Json choices = reported(file, name, "--collectives");
  for (const dpl::Json& collective : choices["collectives"]) {
    const std::string key = collective["collective"].get<std::string>() + " of " +
                            collective["groups"].front().get<std::string>();
    double longest = 0;
    for (const dpl::Json& point : collective["points"]) {
      const double seconds = point["seconds"].get<double>();
      if (point["count"].is_null() || point["count"] == 0 || seconds <= longest)
        continue;
      longest = seconds;
      out.busiest[key] = point["busiest_link"].get<std::string>();
      out.seconds[key] = seconds;
    }
  }
  return out;
}
} // namespace

TEST(NetworkExamples, EqualBytesOnOtherLinks) {
  const Layout near = layoutOf("placement", "near"), far = layoutOf("placement", "far");
  EXPECT_EQ(near.busiest.at("all_gather of tensor"), "scale_up");
  EXPECT_EQ(far.busiest.at("all_gather of tensor"), "port");
  EXPECT_EQ(near.busiest.at("all_gather of data"), "port");
  EXPECT_EQ(far.busiest.at("all_gather of data"), "scale_up");
  EXPECT_GT(far.step, 4 * near.step);
  // Equal buffers of groups of eight: what each sends is the same on either kind of links.
  const auto traffic = [](const std::string& layout, const char* level) {
    return reported("placement", layout, nullptr)["figures"][std::string("traffic.") + level].value(
        "value", 0.0);
  };
  EXPECT_GT(traffic("near", "node"), 0);
  EXPECT_EQ(traffic("near", "node"), traffic("far", "cluster"));
  EXPECT_EQ(traffic("near", "cluster"), traffic("far", "node"));
}

TEST(NetworkExamples, AQuarterOfThePortsAboveALeaf) {
  const Layout gradients = layoutOf("oversubscribed", "gradients_up"),
               messages = layoutOf("oversubscribed", "messages_up");
  EXPECT_EQ(gradients.busiest.at("reduce_scatter of data"), "leaf");
  EXPECT_EQ(messages.busiest.at("reduce_scatter of data"), "port");
  EXPECT_EQ(gradients.busiest.at("send_receive of pipeline"), "port");
  EXPECT_EQ(messages.busiest.at("send_receive of pipeline"), "leaf");
  EXPECT_NEAR(gradients.seconds.at("reduce_scatter of data") /
                  messages.seconds.at("reduce_scatter of data"),
              4, 0.2);
  EXPECT_GT(gradients.step, 1.05 * messages.step);
}

TEST(NetworkExamples, APortForAll) {
  const Layout each = layoutOf("ports", "a_port_each"), all = layoutOf("ports", "a_port_for_all");
  EXPECT_EQ(each.busiest.at("reduce_scatter of data"), "port");
  EXPECT_EQ(all.busiest.at("reduce_scatter of data"), "port");
  EXPECT_NEAR(all.seconds.at("reduce_scatter of data") / each.seconds.at("reduce_scatter of data"),
              8, 1.0); // latencies are the same
  EXPECT_EQ(each.seconds.at("all_gather of tensor"), all.seconds.at("all_gather of tensor"));
  EXPECT_GT(all.step, 1.4 * each.step);
}

TEST(NetworkExamples, SixtyFourOfARack) {
  const Layout all = layoutOf("rack", "all"), most = layoutOf("rack", "most");
  EXPECT_EQ(all.busiest.at("all_to_all of expert"), "port");
  EXPECT_EQ(most.busiest.at("all_to_all of expert"), "scale_up");
  EXPECT_GT(all.seconds.at("all_to_all of expert"), 5 * most.seconds.at("all_to_all of expert"));
  // A sequence costs less on fewer devices.
  EXPECT_GT(all.step / 576, 2 * most.step / 512);
}

TEST(NetworkExamples, TwoSites) {
  const Layout sharded = layoutOf("sites", "sharded"), copied = layoutOf("sites", "copied");
  EXPECT_EQ(sharded.busiest.at("all_gather of data"), "site");
  EXPECT_EQ(copied.busiest.at("all_gather of data"), "scale_up");
  EXPECT_EQ(copied.busiest.at("all_reduce of replica"), "site");
  EXPECT_GT(sharded.step, 1.5 * copied.step);
}

TEST(NetworkExamples, PortsOfTheOtherSocket) {
  const Layout near = layoutOf("affinity", "near"), far = layoutOf("affinity", "far");
  EXPECT_EQ(near.busiest.at("reduce_scatter of data"), "port");
  EXPECT_EQ(far.busiest.at("reduce_scatter of data"), "host");
  EXPECT_EQ(near.seconds.at("all_gather of tensor"), far.seconds.at("all_gather of tensor"));
  EXPECT_GT(far.seconds.at("reduce_scatter of data"),
            2 * near.seconds.at("reduce_scatter of data"));
  EXPECT_GT(far.step, near.step);
}

TEST(NetworkExamples, RingsThatDoNotSeeNodes) {
  const Layout by = layoutOf("rings", "by_node"), scattered = layoutOf("rings", "scattered"),
               turns = layoutOf("rings", "by_turns");
  EXPECT_EQ(scattered.busiest.at("all_gather of data"), "port");
  EXPECT_GT(scattered.seconds.at("all_gather of data"), 4 * by.seconds.at("all_gather of data"));
  EXPECT_GT(scattered.step, 1.5 * by.step);
  // Half of the hops leave.
  EXPECT_EQ(turns.busiest.at("all_gather of data"), "port");
  EXPECT_NEAR(scattered.seconds.at("all_gather of data") / turns.seconds.at("all_gather of data"),
              2, 0.2);
  EXPECT_GT(turns.step, by.step);
}

TEST(NetworkExamples, ARowOfATorusAndHalfOfOne) {
  const Layout ring = layoutOf("torus", "ring"), line = layoutOf("torus", "line");
  EXPECT_EQ(ring.busiest.at("all_gather of tensor"), "scale_up");
  EXPECT_NEAR(line.seconds.at("all_gather of tensor") / ring.seconds.at("all_gather of tensor"), 2,
              0.05); // latencies are the same
  // Data ranks have two dimensions and a little of the third.
  EXPECT_LT(line.seconds.at("all_gather of data"), ring.seconds.at("all_gather of data"));
  EXPECT_GT(line.step, 1.1 * ring.step);
}

TEST(NetworkExamples, LinksToOnePodAndToAll) {
  const Layout tree = layoutOf("dragonfly", "tree"), apart = layoutOf("dragonfly", "apart"),
               inside = layoutOf("dragonfly", "inside");
  EXPECT_EQ(tree.busiest.at("reduce_scatter of data"), "pod");
  EXPECT_EQ(apart.busiest.at("reduce_scatter of data"), "pod");
  EXPECT_EQ(inside.busiest.at("send_receive of pipeline"), "pod");
  // A ring has one of seven pairs; latencies are the same.
  EXPECT_NEAR(apart.seconds.at("reduce_scatter of data") /
                  tree.seconds.at("reduce_scatter of data"),
              7, 0.7);
  EXPECT_LT(inside.seconds.at("reduce_scatter of data"),
            apart.seconds.at("reduce_scatter of data") / 4);
  EXPECT_GT(apart.step, inside.step);
}

TEST(NetworkExamples, WhatIsSentBetweenTwoSites) {
  const double whole = layoutOf("compression", "whole").step;
  for (const char* layout : {"eight_bits", "largest", "factors"})
    EXPECT_LT(layoutOf("compression", layout).step, whole) << layout;
}

namespace {
/// A row of the table: of each layout the longest call of a collective, by its key, or the last.
struct Example {
  const char* file;
  std::vector<std::string> layouts;
  const char* differs;
  const char* what;                    ///< what the collective is called there
  std::vector<std::string> collective; ///< of each layout, or of all
  const char* step = "";               ///< behind the steps
};
const std::vector<Example>& examples() {
  static const std::vector<Example> all = {
      {"placement",
       {"near", "far"},
       "tensor ranks in one node, or one in each of eight nodes",
       "all-gather of tensor",
       {"all_gather of tensor"}},
      {"oversubscribed",
       {"gradients_up", "messages_up"},
       "data ranks or stages communicate across leaves of 4:1",
       "reduce-scatter of data",
       {"reduce_scatter of data"}},
      {"ports",
       {"a_port_each", "a_port_for_all"},
       "eight ports per node, or one",
       "reduce-scatter of data",
       {"reduce_scatter of data"}},
      {"rack",
       {"all", "most"},
       "72 or 64 devices of each rack: expert groups of 16 span racks, or do not",
       "all-to-all of experts",
       {"all_to_all of expert"},
       ", 576 and 512 sequences"},
      {"sites",
       {"sharded", "copied"},
       "parameters sharded over both sites, or one copy per site",
       "all-gather of data",
       {"all_gather of data"}},
      {"affinity",
       {"near", "far"},
       "each device has its own port, or one of the other socket",
       "reduce-scatter of data",
       {"reduce_scatter of data"}},
      {"rings",
       {"by_node", "by_turns", "scattered"},
       "rings leave a node once, with every second hop, or with every hop",
       "all-gather of data",
       {"all_gather of data"}},
      {"torus",
       {"ring", "line"},
       "eight tensor ranks fill a row of a torus, or half a row",
       "all-gather of tensor",
       {"all_gather of tensor"}},
      {"dragonfly",
       {"tree", "apart", "inside"},
       "one data rank per pod with switches or with direct links, or all in one pod",
       "reduce-scatter of data",
       {"reduce_scatter of data"}},
      {"compression",
       {"whole", "eight_bits", "largest", "factors"},
       "two sites exchange whole gradients, 8 bits per value, 1 % of the values, or rank 4",
       "all-reduce of whole gradients",
       {"all_reduce of replica", "", "", ""}},
  };
  return all;
}

std::string timeOf(double seconds) {
  return seconds < 0.1 ? fmt::format("{:.2g} ms", 1e3 * seconds) : fmt::format("{:.3g} s", seconds);
}

std::string rowOf(const Example& of) {
  std::string layouts, times, steps;
  for (std::size_t i = 0; i < of.layouts.size(); ++i) {
    const std::string comma = i > 0 ? ", " : "";
    const Layout layout = layoutOf(of.file, of.layouts[i]);
    layouts += fmt::format("{}`{}`", comma, of.layouts[i]);
    steps += comma + timeOf(layout.step);
    const std::string& key = of.collective[std::min(i, of.collective.size() - 1)];
    if (!key.empty())
      times +=
          fmt::format("{}`{}` {}", comma, layout.busiest.at(key), timeOf(layout.seconds.at(key)));
  }
  return fmt::format("| [{0}]({0}.dpl) | {1} | {2} | {3}: {4} | {5}{6} |\n", of.file, layouts,
                     of.differs, of.what, times, steps, of.step);
}
} // namespace

TEST(NetworkExamples, AreAsThePageSays) {
  const fs::path path = sourceFolder() / "examples/network/README.md";
  std::string page = slurp(path);
  const std::string begin = "<!-- examples -->\n", end = "<!-- end of examples -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const std::size_t at = from + begin.size();
  std::string made = "\n| file | layouts | difference | busiest link, time | step |\n"
                     "|---|---|---|---|---|\n";
  for (const Example& example : examples())
    made += rowOf(example);
  made += "\n";
  if (updating())
    spill(path, page.replace(at, to - at, made));
  else
    EXPECT_EQ(page.substr(at, to - at), made) << "DPL_UPDATE=1 writes it anew";
}

//===- AstraSimTest.cpp - Traces that the emitted files hold, read back -----------------------===//
#include "backends/Target.h"
#include "support/Json.h"
#include "tests/unit/CompiledPlan.h"
#include <map>
#include <set>

using namespace dpl;

namespace {
/// Fields of a protobuf message of varints and bytes.
struct Fields {
  std::map<unsigned, std::vector<std::uint64_t>> numbers;
  std::map<unsigned, std::vector<std::string>> texts;
};
std::uint64_t varint(const std::string& from, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; at < from.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(from[at++]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      break;
  }
  return value;
}
Fields fieldsOf(const std::string& message) {
  Fields out;
  for (std::size_t at = 0; at < message.size();) {
    const std::uint64_t key = varint(message, at);
    const auto field = static_cast<unsigned>(key >> 3);
    if ((key & 7) == 0) {
      out.numbers[field].push_back(varint(message, at));
      continue;
    }
    EXPECT_EQ(key & 7, 2U);
    const std::uint64_t size = varint(message, at);
    out.texts[field].push_back(message.substr(at, size));
    at += size;
  }
  return out;
}

struct Node {
  std::uint64_t id = 0, type = 0, microseconds = 0;
  std::vector<std::uint64_t> behind;
  std::map<std::string, std::uint64_t> attributes;
  std::string group;
};
std::vector<Node> traceOf(const std::string& file) {
  std::vector<Node> nodes;
  bool metadata = true;
  for (std::size_t at = 0; at < file.size();) {
    const std::uint64_t size = varint(file, at);
    const Fields fields = fieldsOf(file.substr(at, size));
    at += size;
    if (metadata) {
      EXPECT_EQ(fields.texts.at(1).front(), "0.0.4");
      metadata = false;
      continue;
    }
    Node node;
    node.id = fields.numbers.at(1).front(), node.type = fields.numbers.at(3).front();
    if (const auto time = fields.numbers.find(7); time != fields.numbers.end())
      node.microseconds = time->second.front();
    if (const auto packed = fields.texts.find(5); packed != fields.texts.end())
      for (std::size_t i = 0; i < packed->second.front().size();)
        node.behind.push_back(varint(packed->second.front(), i));
    for (const std::string& text : fields.texts.at(10)) {
      const Fields attribute = fieldsOf(text);
      const std::string& name = attribute.texts.at(1).front();
      if (name == "pg_name")
        node.group = attribute.texts.at(29).front();
      else
        node.attributes[name] = attribute.numbers.begin()->second.front();
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// The emitted files of a layout by name.
std::map<std::string, std::string> filesOf(const ir::Plan& plan) {
  const Target& target = *targetNamed("astra-sim");
  DiagnosticEngine diags;
  const auto files = emit({target, plan, releaseFor(target, plan), {}}, diags);
  std::map<std::string, std::string> out;
  EXPECT_FALSE(files.failed());
  if (!files.failed())
    for (const EmittedFile& file : *files)
      out[file.path] = file.text();
  return out;
}
ir::Plan planWith(const std::string& layout) {
  return test::completedPlan("traces.dpl", R"(
import std.models
import std.clusters
cluster pod from clusters.dgx_h100 { nodes = 2 }
model small from models.decoder { layers = 8, hidden = 1024, heads = 8, vocab = 32_000, context = 2048tok }
layout plan for small on pod {
  batch = 32seq
)" + layout + "\n}\n");
}
constexpr std::uint64_t compute = 4, send = 5, collective = 7;
} // namespace

// Devices of a pipeline rank do the same; whoever sends is heard; who meets calls alike.
TEST(AstraSim, TracesOfAllDevices_FitTogether) {
  for (const char* layout :
       {"mesh { pipeline = 2, data = 4, tensor = 2 }",
        "mesh { pipeline = 4, tensor = 4 }\n schedule = zb_h1",
        "mesh { pipeline = 2, data = 8 }\n schedule = dualpipe\n overlap.pipeline = false",
        "mesh { data = 16 }\n shard { parameters = data, gradients = data, optimizer = data }"}) {
    SCOPED_TRACE(layout);
    const ir::Plan plan = planWith(layout);
    ASSERT_EQ(plan.mesh.devices, 16U);
    std::map<std::string, std::string> files = filesOf(plan);
    const Json groups = Json::parse(files["groups.json"]);
    std::map<std::vector<std::uint64_t>, int> messages; // by source, destination, tag and bytes
    std::map<std::string, std::vector<std::vector<std::uint64_t>>>
        called; // by group, each member's
    for (std::uint64_t device = 0; device < 16; ++device) {
      const std::vector<Node> nodes = traceOf(files[fmt::format("trace.{}.et", device)]);
      ASSERT_FALSE(nodes.empty());
      std::map<std::string, std::vector<std::uint64_t>> calls;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        EXPECT_EQ(node.id, i);
        EXPECT_EQ(std::set<std::uint64_t>(node.behind.begin(), node.behind.end()).size(),
                  node.behind.size());
        for (const std::uint64_t other : node.behind)
          EXPECT_LT(other, i); // so that there is no cycle
        EXPECT_EQ(node.attributes.at("is_cpu_op"), 0U);
        EXPECT_EQ(node.type == compute, node.microseconds > 0);
        if (node.type == collective) {
          calls[node.group].push_back(node.attributes.at("comm_type") << 48 |
                                      node.attributes.at("comm_size"));
        } else if (node.type != compute) {
          EXPECT_EQ(node.attributes.at(node.type == send ? "comm_src" : "comm_dst"), device);
          messages[{node.attributes.at("comm_src"), node.attributes.at("comm_dst"),
                    node.attributes.at("comm_tag"), node.attributes.at("comm_size")}] +=
              node.type == send ? 1 : 16;
        }
      }
      for (const auto& [group, list] : calls) {
        EXPECT_EQ(std::count(groups[group].begin(), groups[group].end(), device), 1) << group;
        called[group].push_back(list);
      }
    }
    for (const auto& [message, ends] : messages)
      EXPECT_EQ(ends, 17) << message[0] << " to " << message[1];
    for (const auto& [group, lists] : called) {
      EXPECT_EQ(lists.size(), groups[group].size());
      for (const auto& list : lists)
        EXPECT_EQ(list, lists.front()) << group;
    }
    EXPECT_EQ(called.size(), groups.size());
    EXPECT_NE(files["run.sh"].find("--workload-configuration=trace"), std::string::npos);
  }
}

// What a device computes is what its schedule says, to a microsecond; of one that waits for nothing
// else, all of the step.
TEST(AstraSim, Computation_AddsUpToTheStep) {
  const ir::Plan plan = planWith("mesh { data = 16 }\n overlap.gradients = false");
  std::map<std::string, std::string> files = filesOf(plan);
  std::uint64_t computed = 0, bytes = 0;
  for (const Node& node : traceOf(files["trace.5.et"])) {
    computed += node.microseconds;
    if (node.type == collective)
      bytes += node.attributes.at("comm_size");
  }
  std::uint64_t reduced = 0, time = 0;
  for (const ir::Collective& c : plan.collectives)
    reduced += c.bytes * c.count, time += c.time * c.count;
  const ir::RankSchedule& schedule = plan.schedule.front();
  EXPECT_NEAR(static_cast<double>(computed),
              static_cast<double>(schedule.endOf(schedule.actions.size() - 1) - time) / 1e6, 1);
  EXPECT_EQ(bytes, reduced);
  EXPECT_NE(files["network.yml"].find("npus_count: [ 8, 2 ]"), std::string::npos)
      << files["network.yml"];
  // 81 % of 450 GB/s and 97 % of 50 GB/s, by 2^30 bytes.
  EXPECT_NE(files["network.yml"].find("bandwidth: [ 339.467078, 45.169145 ]"), std::string::npos)
      << files["network.yml"];
}

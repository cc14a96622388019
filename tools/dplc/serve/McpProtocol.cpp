//===- McpProtocol.cpp - The tools of `dplc mcp` for agents -----------------------------------===//
#include "tools/dplc/serve/McpProtocol.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/serve/CommandWords.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Versions of the protocol in which tools have the form that is used here, the newest first.
constexpr const char* versions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

constexpr const char* instructions =
    R"(dplc predicts memory, step time and price of a training layout without a GPU, and finds better layouts.
Start with `import` for an existing launch script or configuration, or write a .dpl text:

import std.models
import std.clusters
cluster pod from clusters.dgx_h100 { nodes = 16 }
layout plan for models.llama3_70b on pod {
  batch = 512seq
  mesh { pipeline = 2, data = rest, tensor = 8 within node }
  shard { optimizer = data, sequence = tensor }
}

`explain` says what a code, field or figure means; its words std.models and std.clusters list the library.
Judge each text with `check` before you answer. `emit` only layouts without an error: legal, fitting, and
accepted by the framework. `search` finds the fastest layout of a block that lists the values of open fields:

search layout best for models.llama3_70b on pod {
  batch = 512seq
  framework = megatron
  mesh { pipeline in [1, 2, 4, 8], data = rest, tensor in [2, 4, 8] within node }
  shard { optimizer = data, sequence = tensor }
  schedule = interleaved_1f1b { chunks in [2, 5, 10] }
  recompute in [none, full]
  overlap { gradients = true, parameters = true, tensor in [true, false] }
  require memory.peak <= 70GiB
  minimize step_time
}

Without a block it varies mesh (if `auto`), micro-batch, schedule, split, recomputation and sharding of a layout,
as far as they are not set, but no overlaps: a framework sets those to its defaults, often false. One faster
change (`near`) or the advice of `check` may be worth less than such a combination. Experts have a grid of their
own, as mesh { …, experts { expert = 8, data = rest } }. A percentage is 10pct.)";

struct ToolParameter {
  const char* name;
  const char* type;
  const char* text;
};

constexpr ToolParameter file{"file", "string", "path of the file; `-` for the text in `text`"};
constexpr ToolParameter text{"text", "string", "a .dpl text, if `file` is `-`"};
constexpr ToolParameter layout{"layout", "string", "the layout, if the file has several"};
constexpr ToolParameter set{"set", "object",
                            R"(fields to set, as {"pod.nodes": 64, "layout.mesh.tensor": 4})"};
constexpr ToolParameter figuresOf{"figures", "array",
                                  "only these figures, as step_time, memory.peak"};

struct AgentTool {
  CommandMethod method;
  std::vector<ToolParameter> parameters;
  std::vector<const char*> required;
};

/// Seconds of a call, unless its `limits` say otherwise.
constexpr double longestCall = 60;

AgentTool checkTool() {
  return {
      {"check",
       "check",
       "Check whether layouts are legal and fit into memory, and predict step time, MFU and peak "
       "memory. With `target`, also say what a framework refuses.",
       {},
       {"file"}},
      {file,
       text,
       layout,
       set,
       figuresOf,
       {"target", "array", "frameworks to ask, as megatron or torchtitan"},
       {"rank", "boolean", "one table of all layouts, the fastest first"}},
      {"file"}};
}

AgentTool searchTool() {
  return {{"search",
           "search",
           "Find the fastest layouts of a `search` block, or of a layout with `mesh = auto`. "
           "The result is a table with a certificate of what was excluded.",
           {},
           {"file", "name"}},
          {file,
           text,
           {"name", "string", "the search or layout, if the file has several"},
           set,
           figuresOf,
           {"top", "integer", "number of layouts"},
           {"write", "string", "a new .dpl file for the text with the best layout; not with `set`"},
           {"pareto", "boolean", "all layouts that no other beats in all objectives"},
           {"near", "string", "a layout: list its single changes that are faster"},
           {"why_not", "string", "a layout: say what keeps it from being the best"}},
          {"file"}};
}

AgentTool whyTool() {
  return {
      {"why",
       "report",
       "Show how a figure is computed, down to its inputs and their sources, or what sets a "
       "field.",
       {},
       {"file"},
       {{"path", "why"}}},
      {file,
       text,
       layout,
       set,
       {"path", "string", "a figure such as memory.peak, or a field such as layout.mesh.tensor"}},
      {"file", "path"}};
}

AgentTool explainTool() {
  return {{"explain",
           "explain",
           "Explain the code of a message, a field, a figure, a target, a rule or a word of the "
           "field.",
           {},
           {"word"}},
          {{"word", "string",
            "DPL0301, mesh.tensor, memory.peak, megatron, zero3, std.clusters; empty: all codes"}},
          {}};
}

AgentTool emitTool() {
  return {
      {"emit",
       "emit",
       "Write the launch files of a legal layout for a framework or scheduler, or print them with "
       "`dry_run`. What the target refuses is an error.",
       {},
       {"targets", "file"}},
      {{"targets", "array",
        "megatron, torchtitan, deepspeed, slurm, …; megatron@0.16 for a release"},
       file,
       text,
       layout,
       set,
       {"output", "string", "the folder to write"},
       {"dry_run", "boolean", "print the files instead"}},
      {"targets", "file"}};
}

AgentTool importTool() {
  return {
      {"import",
       "import",
       "Translate a launch script or configuration of another program to a .dpl text.",
       {},
       {"kind", "file"}},
      {{"kind", "string", "hf, megatron, torchtitan, deepspeed or nemo"},
       {"file", "string", "path of the script or configuration"},
       {"line", "string", "megatron: a launch command instead of a file"},
       {"cluster", "string", "a cluster of the library, as clusters.dgx_h100"},
       {"define", "object", "environment variables of the script, as {\"NNODES\": 16}"},
       {"as", "string", "the model, as models.llama3_8b, where the file does not have it"},
       {"lenient", "boolean", "megatron: ignore options that DPL does not support, and list them"},
       {"output", "string", "the .dpl file to write"}},
      {"kind"}};
}

const std::vector<AgentTool>& agentTools() {
  static const std::vector<AgentTool> tools = {checkTool(),   searchTool(), whyTool(),
                                               explainTool(), emitTool(),   importTool()};
  return tools;
}

/// The parameters of a tool with those that every tool has.
std::vector<ToolParameter> parametersOf(const AgentTool& tool) {
  std::vector<ToolParameter> all = tool.parameters;
  all.push_back({"directory", "string", "folder of relative paths"});
  all.push_back({"limits", "object", R"({"seconds": 60, "bytes": 1e9}; null for no limit)"});
  return all;
}

Json schemaOf(const AgentTool& tool) {
  Json properties = Json::object();
  for (const ToolParameter& one : parametersOf(tool)) {
    Json property{{"type", one.type}, {"description", one.text}};
    if (llvm::StringRef(one.type) == "array")
      property["items"] = {{"type", "string"}};
    properties[one.name] = std::move(property);
  }
  Json required = Json::array();
  for (const char* name : tool.required)
    required.push_back(name);
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

bool hasType(const Json& value, llvm::StringRef type) {
  if (type == "array")
    return value.is_array() &&
           std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_string(); });
  return type == "string"    ? value.is_string()
         : type == "object"  ? value.is_object()
         : type == "boolean" ? value.is_boolean()
                             : value.is_number_unsigned(); // counts
}

/// Why arguments are not those of the schema; empty if they are. A null is an argument left out.
std::string mistakeIn(const Json& arguments, const AgentTool& tool) {
  const std::vector<ToolParameter> parameters = parametersOf(tool);
  for (const auto& [key, value] : arguments.items()) {
    const std::string& name = key;
    const auto known =
        llvm::find_if(parameters, [&](const ToolParameter& one) { return name == one.name; });
    if (known == parameters.end()) {
      std::vector<std::string> names;
      names.reserve(parameters.size());
      for (const ToolParameter& one : parameters)
        names.emplace_back(one.name);
      return fmt::format("`{}` has no argument `{}`; there are {}", tool.method.name, name,
                         alternatives(names));
    }
    if (!value.is_null() && !hasType(value, known->type))
      return fmt::format("`{}` of `{}` is of type {}", name, tool.method.name,
                         llvm::StringRef(known->type) == "array" ? "array of strings"
                                                                 : known->type);
  }
  for (const char* needed : tool.required)
    if (arguments[needed].is_null())
      return fmt::format("`{}` needs `{}`", tool.method.name, needed);
  return "";
}

Json toolList() {
  Json list = Json::array();
  for (const AgentTool& tool : agentTools())
    list.push_back({{"name", tool.method.name},
                    {"description", tool.method.summary},
                    {"inputSchema", schemaOf(tool)}});
  return {{"tools", std::move(list)}};
}

Json welcome(const Json& asked) {
  const char* version = versions[0];
  for (const char* known : versions)
    if (asked == Json(known))
      version = known;
  return {{"protocolVersion", version},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "dplc"}, {"version", DPL_VERSION}}},
          {"instructions", instructions}};
}
} // namespace

void McpProtocol::receive(Server& server, const Request& request) {
  const std::string& method = request.method;
  if (!request.id) {
    if (method == "notifications/cancelled")
      server.cancel(request.params["requestId"], /*answers=*/false);
    return;
  }
  if (method == "initialize")
    return server.send(resultText(*request.id, welcome(request.params["protocolVersion"])));
  if (method == "ping")
    return server.send(resultText(*request.id, Json::object()));
  if (method == "tools/list")
    return server.send(resultText(*request.id, toolList()));
  if (method == "tools/call")
    return call(server, request);
  server.send(errorText(*request.id, RpcError::UnknownMethod,
                        fmt::format("there is no method `{}`", method)));
}

void McpProtocol::call(Server& server, const Request& request) {
  const auto refuse = [&](std::string mistake) {
    server.send(errorText(*request.id, RpcError::InvalidParams, std::move(mistake)));
  };
  const Json& name = request.params["name"];
  const auto tool = llvm::find_if(
      agentTools(), [&](const AgentTool& one) { return name == Json(one.method.name); });
  if (tool == agentTools().end()) {
    std::vector<std::string> names;
    for (const AgentTool& one : agentTools())
      names.emplace_back(one.method.name);
    return refuse("there is no such tool; there are " + alternatives(names));
  }
  static const Json none = Json::object();
  const Json* given = request.params.find("arguments");
  const Json& arguments = given && !given->is_null() ? *given : none;
  if (!arguments.is_object())
    return refuse("`arguments` is an object");
  std::string mistake = mistakeIn(arguments, *tool);
  if (!mistake.empty())
    return refuse(std::move(mistake));
  Job job;
  job.id = *request.id, job.name = tool->method.name;
  job.limits.seconds = longestCall;
  if (!readCommonParameters(arguments, job, mistake))
    return refuse(mistake);
  job.progressToken = request.params["_meta"]["progressToken"];
  // `explain std.clusters` is a page of the library, which `show` prints.
  static const CommandMethod show{"explain", "show", "", {}, {"word"}};
  const Json& word = arguments["word"];
  const bool library = word.is_string() && llvm::StringRef(word.str()).split('.').first == "std";
  std::optional<std::vector<std::string>> words =
      commandLineOf(library ? show : tool->method, arguments, mistake);
  if (!words)
    return refuse(mistake);
  job.work = [words = std::move(*words)](Answer& answer, const Progress::Listener& progress) {
    runWords(words, answer, progress);
  };
  server.submit(std::move(job));
}

std::string McpProtocol::replyTo(const Job& job, const Answer& answer) const {
  const bool both = !answer.out.empty() && !answer.messages.empty();
  const std::string all = answer.out + (both ? "\n" : "") + answer.messages;
  Json content = Json::array();
  content.push_back({{"type", "text"}, {"text", validUtf8(all)}});
  return resultText(job.id, {{"content", std::move(content)}, {"isError", answer.code != 0}});
}

std::string McpProtocol::progressOf(const Job& job, std::uint64_t done, std::uint64_t all,
                                    const std::string& unit, const std::string& note) const {
  Json params{{"progressToken", job.progressToken}, {"progress", done}};
  if (all > 0)
    params["total"] = all;
  params["message"] = unit + note;
  return notificationText("notifications/progress", std::move(params));
}

int tool::runMcp(Session&, const McpOptions&) {
  McpProtocol protocol;
  return Server(protocol).run();
}

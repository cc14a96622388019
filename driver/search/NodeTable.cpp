//===- NodeTable.cpp - The layouts of a job for fewer and fewer nodes -------------------------===//
#include "driver/search/NodeTable.h"
#include "backends/KeptCheckpoint.h"
#include "backends/Target.h"
#include "cost/legality/Legality.h"
#include "driver/search/CandidateRunner.h"
#include "driver/search/Combinations.h"
#include "figures/Figures.h"
#include "passes/TakeDevices.h"
#include "planner/search/DefaultSpace.h"
#include "planner/search/LayoutSearch.h"
#include "support/diagnostics/Search.h"
using namespace dpl;
using namespace dpl::search;

namespace {
double stepOf(const ir::Plan& plan) {
  return figures::Figures(plan, {}, figures::Depth::Values).value("step_time").value_or(0);
}

class NodeSearch {
public:
  NodeSearch(const ir::Plan& plan, const NodeTableRequest& request)
      : given(plan), request(request), name(plan.layout.name) {
    const CheckpointRules* rules = checkpointRulesOf(plan);
    loads = rules != nullptr;
    reshards = rules && rules->model != Resharding::Refused;
  }

  /// The fastest layout on exactly this number of nodes; none if no layout is legal and loads the
  /// checkpoints.
  std::optional<NodeRow> on(std::uint64_t nodes) const {
    std::optional<NodeRow> found;
    if (loads)
      found = searched(nodes);
    // The layout of the file may leave less memory free than a search does.
    if (nodes == given.cluster.nodes && (!found || stepOf(given) <= stepOf(found->plan)))
      found = NodeRow{nodes, nodes, {}, {}, "", given};
    return found;
  }

private:
  /// The mesh of the candidates: all degrees are open, or the data ranks are the rest.
  Override meshSetting(const std::string& mesh) const {
    return reshards ? Override{name + ".mesh", mesh, "search", {}}
                    : Override{name + ".mesh.data", "rest", "search", {}};
  }

  std::optional<NodeRow> searched(std::uint64_t nodes) const {
    SearchRequest search{request.path, name, true, request.text, {}, request.overrides, {}};
    const std::string count = std::to_string(nodes);
    search.overrides.push_back({given.cluster.name + ".nodes", count, "search", {}});
    search.wanted = [this](const ir::Plan& changed) {
      return checkpointCondition(given, changed).has_value();
    };
    std::string mesh;
    const std::optional<ir::Space> space = spaceOf(search.overrides, mesh);
    if (!space)
      return std::nullopt;
    search.base = {meshSetting(mesh)};
    CandidateRunner runner(search, *space, request.threads);
    planner::CandidateSearchOptions how;
    how.candidates = space->candidates(), how.threads = request.threads;
    how.maximize = {false}, how.bounds = {planner::ObjectiveBound::Step}, how.byStep = true;
    const std::unique_ptr<planner::LayoutSearch> ordered = orderedCandidates(*space, runner, how);
    how.ordered = ordered.get();
    const planner::CandidateSearchResult found = planner::searchCandidates(how, runner);
    if (found.ranked.empty())
      return std::nullopt;
    const std::uint64_t candidate = found.ranked.front().candidate;
    std::optional<ir::Plan> plan = runner.planOf(candidate).plan;
    if (!plan)
      return std::nullopt;
    NodeRow row{nodes, nodes, fieldsOf(*space, runner.valuesOf(candidate)),
                {},    "",    std::move(*plan)};
    row.ofCluster = {{given.cluster.name + ".nodes", count, ""}};
    row.condition = checkpointCondition(given, row.plan).value_or("");
    return row;
  }

  /// The open fields with this number of nodes, and the mesh whose degrees they set.
  std::optional<ir::Space> spaceOf(std::vector<Override> settings, std::string& mesh) const {
    settings.push_back(meshSetting("auto"));
    Workspace workspace;
    if (request.text)
      workspace.overlay(request.path, *request.text);
    DiagnosticEngine diags;
    const std::unique_ptr<CompiledUnit> unit =
        workspace.compile(request.path, diags, std::move(settings), false, false, name);
    if (unit->file.failed())
      return std::nullopt;
    for (ir::Plan& plan : unit->file->plans) {
      if (plan.layout.name != name)
        continue;
      mesh = planner::meshOfDefaultSpace(plan);
      if (takeDevices(plan, diags).failed())
        return std::nullopt;
      planner::OpenLayoutFields open;
      open.mesh = reshards, open.microBatch = open.sequence = true;
      open.recompute = !plan.model.isLayerList();
      return planner::defaultSpace(plan, open, runsOf(plan));
    }
    return std::nullopt;
  }

  std::vector<WrittenField> fieldsOf(const ir::Space& space,
                                     const std::vector<std::string>& values) const {
    std::vector<WrittenField> out;
    std::map<std::string, std::string> degrees;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (const std::string& path = space.open[i].path;
          reshards && llvm::StringRef(path).startswith("mesh."))
        degrees[path] = values[i];
      else
        out.push_back({path, values[i], ""});
    if (reshards)
      out.insert(out.begin(),
                 {"mesh", planner::meshWith(cost::hasExperts(given.model), degrees), ""});
    else
      out.insert(out.begin(), {"mesh.data", "rest", ""});
    return out;
  }

  const ir::Plan& given;
  const NodeTableRequest& request;
  const std::string name;
  bool loads = false, reshards = false; ///< other data ranks, and other model parallelism
};
} // namespace

FailureOr<std::vector<NodeRow>>
search::nodeTable(const ir::Plan& plan, const NodeTableRequest& request, DiagnosticEngine& diags) {
  const NodeSearch search(plan, request);
  const std::uint64_t most = plan.cluster.nodes;
  std::vector<NodeRow> rows; // from few nodes to many
  for (std::uint64_t nodes = request.least; nodes <= most; ++nodes) {
    std::optional<NodeRow> found = search.on(nodes);
    if (!rows.empty() && (!found || stepOf(rows.back().plan) <= stepOf(found->plan)))
      found = rows.back(), found->nodes = nodes;
    if (found)
      rows.push_back(std::move(*found));
  }
  std::reverse(rows.begin(), rows.end());
  if (rows.size() > 1)
    return rows;
  const CheckpointRules* rules = checkpointRulesOf(plan);
  auto d = diags.report<diag::NoFewerNodes>(plan.layout.rangeOf(""), request.least, most - 1,
                                            plan.layout.name);
  if (!rules)
    std::move(d).help("the checkpoints of Megatron-LM, DeepSpeed and torchtitan load on other "
                      "numbers of data ranks: write `framework = …`");
  return d;
}

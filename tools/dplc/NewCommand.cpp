//===- NewCommand.cpp - dplc new: a first file, or one for a model and a cluster --------------===//
#include "frontend/Frontend.h"
#include "frontend/import/HuggingFace.h"
#include "support/FileIo.h"
#include "tools/dplc/Machine.h"
#include "tools/dplc/Session.h"
#include <algorithm>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The file that `dplc new FILE` writes. A test checks that it compiles and is formatted.
constexpr const char* firstFile = R"dpl(// Does an 8B model train on one node?
import std.models
import std.clusters

model llm from models.llama3_8b
cluster node from clusters.dgx_h100 { nodes = 1 }

layout fits for llm on node {
  batch = 64seq
  mesh = auto  // degrees, recomputation, ZeRO stage: what fits and is fastest
}
)dpl";

/// The plans of a source text; empty if the text has an error.
std::vector<ir::Plan> plansOf(const std::string& text, DiagnosticEngine& found) {
  Workspace workspace;
  workspace.overlay("new.dpl", text);
  const std::unique_ptr<CompiledUnit> unit = workspace.compile("new.dpl", found);
  return unit->file.failed() || found.errors() > 0 ? std::vector<ir::Plan>()
                                                   : std::move(unit->file->plans);
}

/// A cluster of the library and the names by which `--gpu` can name it.
struct NamedCluster {
  std::string cluster; ///< name of the cluster: "dgx_h100"
  std::string device;  ///< name of its device: "h100_sxm"
  std::string gpu() const { return llvm::StringRef(device).split('_').first.str(); }
};

/// The clusters of the library in its order, in which the vendors' own systems are first.
std::vector<NamedCluster> namedClusters() {
  std::vector<NamedCluster> all;
  std::string text = "import std.models\nimport std.clusters\n";
  for (const std::string& path : clustersOfLibrary()) {
    all.push_back({llvm::StringRef(path).split('.').second.str(), ""});
    text +=
        fmt::format("layout any_{} for models.gpt2_small on {} {{ batch = 1seq, mesh = auto }}\n",
                    all.size(), path);
  }
  DiagnosticEngine silent;
  const std::vector<ir::Plan> plans = plansOf(text, silent);
  for (std::size_t i = 0; i < plans.size(); ++i)
    all[i].device = plans[i].cluster.device().name;
  return all;
}

/// The cluster that `--gpu` names: by its own name, its device, or the first word of its device.
std::optional<NamedCluster> clusterNamed(Session& session, llvm::StringRef word) {
  const std::vector<NamedCluster> all = namedClusters();
  const std::string name = word.lower();
  for (const auto& matches :
       {+[](const NamedCluster&one, const std::string&wanted) {
          return one.cluster == wanted || "clusters." + one.cluster == wanted;
        },
        +[](const NamedCluster&one, const std::string&wanted) {
          return one.device == wanted || "devices." + one.device == wanted;
        },
        +[](const NamedCluster&one, const std::string&wanted) { return one.gpu() == wanted; }})
    for (const NamedCluster& one : all)
      if (matches(one, name))
        return one;
  std::vector<std::string> gpus, known;
  for (const NamedCluster& one : all) {
    if (!llvm::is_contained(gpus, one.gpu()))
      gpus.push_back(one.gpu());
    known.push_back(one.cluster);
  }
  known.insert(known.begin(), gpus.begin(), gpus.end());
  const std::string near = didYouMean(nearNames(name, known), "");
  session.wrongUsage(fmt::format("--gpu: the library has no GPU or cluster `{}`", word),
                     fmt::format("{}{}use {}; `dplc show std.clusters` lists the clusters", near,
                                 near.empty() ? "" : " ", alternatives(gpus)));
  return std::nullopt;
}

/// The declaration of the model `llm`, after the line that imports the library's models; none after
/// a report.
std::optional<std::string> modelDeclaration(Session& session, llvm::StringRef model) {
  if (model.endswith(".json")) {
    const FailureOr<std::uint32_t> file = loadSource(session.sources, session.diags, model.str());
    if (file.failed())
      return std::nullopt;
    const FailureOr<std::string> text =
        imports::huggingFaceModel(session.sources, *file, "llm", "", session.diags);
    return text.failed() ? std::nullopt : std::optional(*text);
  }
  std::vector<std::string> models;
  for (const std::string& name : libraryNames())
    if (llvm::StringRef path = name; path.consume_front("std.models."))
      models.push_back(path.str());
  model.consume_front("models.");
  if (llvm::is_contained(models, model))
    return fmt::format("import std.models\n\nmodel llm from models.{}\n", model);
  session.wrongUsage(
      fmt::format("--model: `{}` is not a model of the library or a .json file", model),
      didYouMean(nearNames(model.lower(), models), "`dplc show std.models` has the models"));
  return std::nullopt;
}

/// The number of sequences or samples of a step: at least one per device, and about 4 Mtok or 32
/// samples per device.
std::uint64_t batchFor(const ir::Plan& plan) {
  const std::uint64_t devices = plan.cluster.devices();
  if (plan.model.isLayerList())
    return 32 * devices;
  const std::uint64_t sequences = (std::uint64_t{4} << 20) / plan.model.context;
  return std::max<std::uint64_t>(1, (sequences + devices / 2) / devices) * devices;
}

struct NewFile {
  std::string model; ///< declaration of the model, with the import of the library's models
  NamedCluster cluster;
  std::uint64_t nodes = 0; ///< number of nodes; 0: that of the library's cluster
  std::uint64_t batch = 1;
  bool samples = false; ///< whether the batch counts samples

  std::string text() const {
    std::string out = model;
    const std::size_t imports = out.find("import std.models\n");
    out.insert(imports, "import std.clusters\n");
    return out + fmt::format("\n// Fields of the cluster that differ at your site can be set here, "
                             "as nic.bandwidth.\n"
                             "// `dplc show std.clusters.{0}` shows them with their sources.\n"
                             "cluster pod from clusters.{0} {{{1}}}\n\n"
                             "layout plan for llm on pod {{\n"
                             "  // The global batch of one step over all replicas.\n"
                             "  batch = {2}{3}\n\n"
                             "  // dplc chooses degrees, recomputation and ZeRO stage: what fits "
                             "and is fastest.\n"
                             "  // `dplc report` shows the choice. Write `mesh {{ data = rest }}` "
                             "to choose yourself.\n"
                             "  mesh = auto\n"
                             "}}\n",
                             cluster.cluster, nodes > 0 ? fmt::format(" nodes = {} ", nodes) : "",
                             batch, samples ? "sample" : "seq");
  }
};

/// The plan of the file, whose batch is set for its number of devices; none after a report.
std::optional<ir::Plan> sized(NewFile& file, DiagnosticEngine& found) {
  for (const bool samples : {false, true}) {
    DiagnosticEngine silent;
    file.samples = samples;
    std::vector<ir::Plan> plans = plansOf(file.text(), silent);
    if (plans.empty())
      continue;
    file.batch = batchFor(plans.front());
    plans = plansOf(file.text(), found);
    if (!plans.empty())
      return std::move(plans.front());
  }
  (void)plansOf(file.text(), found);
  return std::nullopt;
}

/// Whether a mesh of the file fits; if not, `found` has the reason.
bool fits(NewFile& file, DiagnosticEngine& found) {
  std::optional<ir::Plan> plan = sized(file, found);
  const bool complete = plan && Workspace::complete(*plan, found).succeeded();
  found.endPhase();
  return complete && found.errors() == 0;
}

/// The text "16 nodes fit" for the smallest power of two that fits; empty if none does.
std::string nodesThatFit(NewFile file) {
  constexpr std::uint64_t most = 1024;
  for (file.nodes = 2; file.nodes <= most; file.nodes *= 2) {
    DiagnosticEngine silent;
    if (fits(file, silent))
      return fmt::format("`--nodes {}` fits", file.nodes);
  }
  return "";
}

/// The text of the file for a model and a cluster; none after a report.
std::optional<std::string> fileFor(Session& session, const NewOptions& options) {
  const std::optional<NamedCluster> cluster =
      clusterNamed(session, options.gpu.empty() ? "h100" : options.gpu);
  const std::optional<std::string> model =
      modelDeclaration(session, options.model.empty() ? "llama3_8b" : options.model);
  if (!cluster || !model)
    return std::nullopt;
  NewFile file{*model, *cluster, options.nodes};
  DiagnosticEngine found;
  if (!fits(file, found)) {
    for (const Diagnostic& one : found.diagnostics())
      if (one.info.severity == Severity::Error) {
        std::string text = one.message;
        for (const Diagnostic& note : one.notes)
          text += "; " + note.message;
        session.wrongUsage(text, nodesThatFit(file));
        break;
      }
    return std::nullopt;
  }
  const std::uint32_t made = session.sources.add("new.dpl", file.text());
  const FailureOr<std::string> formatted = format(session.sources, made, session.diags);
  return formatted.failed() ? std::nullopt : std::optional(*formatted);
}
} // namespace

int tool::runNew(Session& session, const NewOptions& options) {
  const bool chosen = !options.model.empty() || !options.gpu.empty() || options.nodes > 0;
  const std::string path = !options.output.empty() ? options.output
                           : options.files.empty() ? ""
                                                   : options.files.front();
  if (path.empty() && !chosen)
    return session.refuse("new needs a FILE", "`dplc help new` lists its arguments and options");
  const std::optional<std::string> text = chosen ? fileFor(session, options) : firstFile;
  if (!text)
    return session.finish();
  if (path.empty() || Session::isStandardOutput(path))
    session.out = *text;
  else if (session.writeNew(path, *text).succeeded())
    session.out = fmt::format("wrote {0}; now try\n  dplc check {0}\n  dplc report {0}\n", path);
  return session.finish();
}

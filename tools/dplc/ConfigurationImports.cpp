//===- ConfigurationImports.cpp - Importing the configuration of a framework ------------------===//
#include "tools/dplc/ConfigurationImports.h"
#include "backends/torchtitan/Flavors.h"
#include "backends/torchtitan/Split.h"
#include "frontend/Frontend.h"
#include "frontend/import/Configuration.h"
#include "frontend/import/HuggingFace.h"
#include "support/FileIo.h"
#include "support/Near.h"
#include "support/diagnostics/Tools.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::tool;

namespace {

constexpr llvm::StringLiteral import = "import std.models\n";

/// The number of layers of a model that a file with the text `declaration` contains.
std::uint64_t layersOf(const std::string& declaration, const std::string& model) {
  Workspace workspace;
  workspace.overlay(
      "model.dpl",
      fmt::format("{}import std.clusters\n{}\ncluster pod from clusters.dgx_h100 {{ nodes "
                  "= 1 }}\nlayout any for {} on pod {{\n  mesh {{ data = 8 }}\n  batch = "
                  "8seq\n}}\n",
                  import, declaration, model));
  DiagnosticEngine silent;
  const std::unique_ptr<CompiledUnit> unit = workspace.compile("model.dpl", silent);
  return unit->file.failed() || unit->file->plans.empty()
             ? 0
             : unit->file->plans.front().model.layers();
}

/// The model that `--as` names: a model of the library, or a configuration of Hugging Face.
FailureOr<imports::NamedModel> namedModel(Session& session, const std::string& as) {
  imports::NamedModel out;
  if (llvm::StringRef(as).endswith(".json")) {
    const FailureOr<std::uint32_t> file = loadSource(session.sources, session.diags, as);
    if (file.failed())
      return LogicalResult::failure();
    out.name = "trained";
    const FailureOr<std::string> text =
        imports::huggingFaceModel(session.sources, *file, out.name, "", session.diags);
    if (text.failed())
      return LogicalResult::failure();
    out.declaration = *text;
    if (const std::size_t at = out.declaration.find(import.str()); at != std::string::npos)
      out.declaration.erase(at, import.size() + 1);
    out.declaration += "\n";
  } else {
    const std::vector<std::string> names = libraryNames();
    std::vector<std::string> models;
    for (const std::string& name : names)
      if (llvm::StringRef(name).startswith("std.models."))
        models.push_back(name.substr(4));
    if (std::find(models.begin(), models.end(), as) == models.end())
      return session.diags
          .report<diag::UsageError>(
              {}, fmt::format("`--as {}` is not a model of the library or a `.json` file", as))
          .help(didYouMean(nearNames(as, models), "`dplc show std.models` lists them"));
    out.name = as;
  }
  out.layers = layersOf(out.declaration, out.name);
  return out;
}

imports::TorchtitanTables torchtitanFacts() {
  imports::TorchtitanTables out;
  out.flavor = [](const std::string& model, const std::string& flavor,
                  bool old) -> std::optional<imports::TorchtitanTables::FlavorText> {
    const torchtitan::Flavor* found =
        torchtitan::flavorNamed(model, flavor, Release(old ? "0.2.2" : "0.3.0"));
    if (!found)
      return std::nullopt;
    return imports::TorchtitanTables::FlavorText{torchtitan::fieldsOf(*found), found->layers};
  };
  out.spread = torchtitan::spread;
  return out;
}

} // namespace

std::vector<std::pair<std::string, std::string>>
dpl::tool::definitions(const std::vector<std::string>& all) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& text : all) {
    const auto [name, value] = llvm::StringRef(text).split('=');
    out.emplace_back(name.str(), value.str());
  }
  return out;
}

FailureOr<std::string> dpl::tool::importConfiguration(Session& session,
                                                      const ImportOptions& options,
                                                      std::uint32_t file,
                                                      imports::WrittenSettings& settings) {
  imports::ConfigurationImport request{session.sources, file, definitions(options.defines),
                                       options.ignore, options.cluster};
  request.settings = &settings;
  if (!options.as.empty()) {
    FailureOr<imports::NamedModel> model = namedModel(session, options.as);
    if (model.failed())
      return LogicalResult::failure();
    request.model = std::move(*model);
  }
  // Overrides become a source text of their own, so that messages about them have a place.
  std::string lines;
  for (std::string text : options.overrides) {
    std::replace(text.begin(), text.end(), '\n', ' '); // each override is one line
    lines += "--" + text + "\n";
  }
  if (!lines.empty())
    request.overrides = session.sources.add("command line", lines);
  if (options.kind == "torchtitan")
    return imports::torchtitanConfiguration(request, torchtitanFacts(), session.diags);
  return options.kind == "nemo" ? imports::nemoConfiguration(request, session.diags)
                                : imports::deepspeedConfiguration(request, session.diags);
}

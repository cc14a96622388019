#pragma once
//===- Configuration.h - A whole .dpl file from the configuration of a framework --------------===//
#include "frontend/import/WrittenSettings.h"
#include "support/Diagnostics.h"
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dpl::imports {

/// A model for the plan: the declaration of one, and its name; or the name of one of the library
/// alone.
struct NamedModel {
  std::string declaration, name;
  std::uint64_t layers = 0; ///< 0 where they are not known
};

struct ConfigurationImport {
  const SourceManager& sources;
  std::uint32_t file;
  /// NAME=VALUE of `--define`: what the file leaves to who starts it.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> ignore; ///< settings of `--ignore`, which the plan goes without
  std::string cluster;             ///< of the library, on which it runs: "clusters.dgx_h100"
  /// The model that `--as` names; nothing without one.
  std::optional<NamedModel> model = std::nullopt;
  /// A source with overrides of torchtitan's command line, one on each line:
  /// `--training.seq_len=4096`.
  std::optional<std::uint32_t> overrides = std::nullopt;
  /// Gets all settings of the file if it is not null.
  WrittenSettings* settings = nullptr;
};

/// What torchtitan knows, which writes and reads its files: the fields of the flavor of a model,
/// and how it deals layers to stages where the first and the last have so many less; nothing where
/// it has none.
struct TorchtitanTables {
  struct FlavorText {
    std::string fields;
    std::uint64_t layers;
  };
  std::function<std::optional<FlavorText>(const std::string& model, const std::string& flavor,
                                          bool old)>
      flavor;
  std::function<std::optional<std::vector<std::uint64_t>>(
      std::uint64_t stages, std::uint64_t layers, std::uint64_t first, std::uint64_t last)>
      spread;
};

/// Each is the text of a .dpl file with the model, a cluster of the launch's nodes and the layout,
/// formatted by nobody yet. Settings that mean nothing to a plan are named in a comment; one that a
/// plan cannot say is an error.
///
/// A TOML file of torchtitan 0.2, or a Python configuration of 0.3, which is read as data and never
/// run.
FailureOr<std::string> torchtitanConfiguration(const ConfigurationImport& request,
                                               const TorchtitanTables& facts,
                                               DiagnosticEngine& diags);
/// The `ds_config.json` of DeepSpeed, which says nothing of the model.
FailureOr<std::string> deepspeedConfiguration(const ConfigurationImport& request,
                                              DiagnosticEngine& diags);
/// A YAML file of NeMo or of Megatron-Bridge.
FailureOr<std::string> nemoConfiguration(const ConfigurationImport& request,
                                         DiagnosticEngine& diags);

} // namespace dpl::imports

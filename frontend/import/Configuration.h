#pragma once
//===- Configuration.h - A .dpl file from the configuration of torchtitan, DeepSpeed or NeMo --===//
#include "frontend/import/WrittenSettings.h"
#include "support/Diagnostics.h"
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dpl::imports {

/// The model of a plan. It has a declaration and a name, or only the name of a library model.
struct NamedModel {
  std::string declaration, name;
  std::uint64_t layers = 0; ///< number of layers; 0 if it is not known
};

struct ConfigurationImport {
  const SourceManager& sources;
  std::uint32_t file;
  /// Pairs NAME, VALUE of `--define`: values that the file does not contain, such as the number of
  /// nodes.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> ignore; ///< settings that `--ignore` leaves out
  std::string cluster;             ///< name of the cluster in the library: "clusters.dgx_h100"
  /// The model that `--as` names, if it is given.
  std::optional<NamedModel> model = std::nullopt;
  /// A source with overrides from torchtitan's command line, one per line:
  /// `--training.seq_len=4096`.
  std::optional<std::uint32_t> overrides = std::nullopt;
  /// Receives all settings of the file, if it is not null.
  WrittenSettings* settings = nullptr;
};

/// Functions of the target torchtitan, which also writes such files. `flavor` returns the fields of
/// a model's flavor. `spread` returns the layers of each stage if the first and last stage have
/// `first` and `last` layers less than an even share. Both return none if there is no answer.
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

/// Each of these functions returns the unformatted text of a .dpl file with the model, the layout,
/// and a cluster with the nodes of the launch. Settings without a meaning for a plan are listed in
/// a comment. A setting that a plan cannot express is an error.
///
/// Imports a TOML file of torchtitan 0.2 or a Python configuration of 0.3. Python is parsed as data
/// and never executed.
FailureOr<std::string> torchtitanConfiguration(const ConfigurationImport& request,
                                               const TorchtitanTables& facts,
                                               DiagnosticEngine& diags);
/// Imports a `ds_config.json` of DeepSpeed, which does not describe the model.
FailureOr<std::string> deepspeedConfiguration(const ConfigurationImport& request,
                                              DiagnosticEngine& diags);
/// Imports a YAML file of NeMo or of Megatron-Bridge.
FailureOr<std::string> nemoConfiguration(const ConfigurationImport& request,
                                         DiagnosticEngine& diags);

} // namespace dpl::imports

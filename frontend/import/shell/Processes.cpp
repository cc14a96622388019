//===- Processes.cpp - Number of processes that a launcher starts -----------------------------===//
#include "frontend/import/shell/Processes.h"
#include "support/WordTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::imports::shell;

namespace {
enum class LauncherEffect { Nodes, PerNode, Total, Hosts, NotFollowed, Flag };

std::string launcherIn(llvm::StringRef word) {
  const llvm::StringRef name = word.substr(word.rfind('/') + 1);
  if (name == "torchrun" || name == "torch.distributed.run" || name == "torch.distributed.launch")
    return "torchrun";
  if (name == "srun" || name == "deepspeed" || name == "accelerate")
    return name.str();
  if (name.startswith("mpirun") || name.startswith("mpiexec"))
    return "mpirun";
  const llvm::StringRef version = name.startswith("python") ? name.drop_front(6) : "?";
  return version.find_first_not_of("0123456789.") == llvm::StringRef::npos ? "python" : "";
}

/// Options of a launcher that have the same effect. Names have `-` in place of `_`.
struct LauncherOptions {
  const char* launcher;
  LauncherEffect effect;
  WordTable names;
};

std::optional<LauncherEffect> effectOf(llvm::StringRef launcher, llvm::StringRef name) {
  using enum LauncherEffect;
  static const LauncherOptions options[] = {
      {"torchrun", Nodes, WordTable("--nnodes")},
      {"torchrun", PerNode, WordTable("--nproc-per-node")},
      {"torchrun", Flag, WordTable("--standalone --no-python --use-env --virtual-local-rank")},
      {"srun", Nodes, WordTable("--nodes -N")},
      {"srun", Total, WordTable("--ntasks -n")},
      {"srun", PerNode, WordTable("--ntasks-per-node")},
      {"srun", NotFollowed, WordTable("--ntasks-per-gpu --ntasks-per-core --ntasks-per-socket")},
      {"srun", Flag, WordTable("-l --label -u --unbuffered --exclusive --overlap")},
      {"mpirun", Total, WordTable("-np --np -n --n -c")},
      {"mpirun", PerNode, WordTable("-N -npernode --npernode -ppn --ppn --map-by -map-by")},
      {"mpirun", Hosts,
       WordTable("-H -host --host -f -hostfile --hostfile -machinefile --machinefile")},
      {"mpirun", Flag, WordTable("--allow-run-as-root --tag-output")},
      {"deepspeed", Nodes, WordTable("--num-nodes")},
      {"deepspeed", PerNode, WordTable("--num-gpus")},
      {"deepspeed", Hosts, WordTable("--hostfile -H")},
      {"deepspeed", NotFollowed, WordTable("--include -i --exclude -e")},
      {"accelerate", Nodes, WordTable("--num-machines")},
      {"accelerate", Total, WordTable("--num-processes")},
      {"accelerate", Hosts, WordTable("--config-file")},
      {"accelerate", Flag, WordTable("--multi-gpu")},
  };
  const auto* const found = llvm::find_if(options, [&](const LauncherOptions& row) {
    return launcher == row.launcher && row.names.has(name);
  });
  return found == std::end(options) ? std::nullopt : std::optional(found->effect);
}

/// The name of an option with `-` in place of `_`, and the value if it is in the same word.
std::pair<std::string, std::optional<std::string>> parted(llvm::StringRef word) {
  if (word.startswith("--")) {
    const auto [name, value] = word.split('=');
    std::string spelt = name.str();
    std::replace(spelt.begin(), spelt.end(), '_', '-');
    if (name.size() == word.size())
      return {spelt, std::nullopt};
    return {spelt, value.str()};
  }
  if (word.size() > 2 && word[0] == '-' && llvm::isDigit(word[2])) // the value follows the letter:
                                                                   // -N2
    return {word.take_front(2).str(), word.drop_front(2).str()};
  return {word.str(), std::nullopt};
}

/// The order in which launchers can be nested: one of higher rank may follow one of lower rank, as
/// in `srun torchrun`.
int rank(llvm::StringRef launcher) {
  return launcher == "" ? 0 : launcher == "python" ? 1 : launcher == "torchrun" ? 3 : 2;
}
} // namespace

std::map<std::string, ShellWord> dpl::imports::shell::batchOptions(llvm::StringRef text,
                                                                   std::uint32_t file) {
  std::map<std::string, ShellWord> out;
  llvm::StringRef rest = text, line;
  while (!rest.empty()) {
    const std::size_t begin = text.size() - rest.size();
    std::tie(line, rest) = rest.split('\n');
    const llvm::StringRef trimmed = line.trim();
    if (!trimmed.empty() && trimmed[0] != '#')
      break;
    if (!line.startswith("#SBATCH"))
      continue;
    const SourceRange at{file, static_cast<std::uint32_t>(begin),
                         static_cast<std::uint32_t>(begin + line.rtrim().size())};
    llvm::SmallVector<llvm::StringRef, 8> pieces;
    llvm::SplitString(line.drop_front(7), pieces);
    for (std::size_t i = 0; i < pieces.size() && !pieces[i].startswith("#"); ++i) {
      const auto [name, value] = parted(pieces[i]);
      const std::string known = name == "-N" ? "--nodes" : name == "-n" ? "--ntasks" : name;
      if (!effectOf("srun", known) || (!value && i + 1 == pieces.size()))
        continue;
      out[known] = {value ? *value : pieces[i + 1].str(), at, nullptr};
    }
  }
  return out;
}

Processes dpl::imports::shell::processesOf(llvm::ArrayRef<ShellWord> words,
                                           const std::map<std::string, ShellWord>& batch) {
  Processes out;
  std::string open; // launcher whose options are being read
  bool takesValue = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const llvm::StringRef text = words[i].text;
    const bool isValue = takesValue;
    takesValue = false;
    // In `--output=$LOG` the option is known, although its value is not.
    const llvm::StringRef before = text.split('=').first;
    const bool named = text.startswith("-") && before.size() < text.size() &&
                       before.find_first_of("$`") == llvm::StringRef::npos;
    if (words[i].doubt && (isValue || !named)) { // the value of an option need not be known
      const bool variable = open.empty() && text.contains('='); // an assignment of `env`: `env
                                                                // NAME=$VALUE`
      if (!isValue && !variable)
        out.notFollowed = words[i];
      continue;
    }
    if (const std::string next = isValue ? "" : launcherIn(text); !next.empty()) {
      if (rank(next) > rank(out.launcher) || (rank(next) == 2 && rank(out.launcher) == 2)) {
        out.launcher = next;
        out.nodes = out.perNode = out.total = std::nullopt;
        out.elsewhere = false;
      }
      open = next;
      continue;
    }
    if (!text.startswith("-"))
      continue;
    if (open == "python" && text == "-m")
      continue;
    const auto [name, inside] = parted(text);
    const std::optional<LauncherEffect> effect = effectOf(open, name);
    const bool flag = effect == LauncherEffect::Flag;
    const bool guessed =
        open == "torchrun" && !effect &&
        (llvm::StringRef(name).startswith("--nn") || llvm::StringRef(name).startswith("--np"));
    if (guessed || effect == LauncherEffect::NotFollowed)
      out.notFollowed = words[i];
    takesValue = !inside && !flag && !open.empty();
    if (!effect || flag || open != out.launcher)
      continue;
    ShellWord value = inside                 ? ShellWord{*inside, words[i].at, words[i].doubt}
                      : i + 1 < words.size() ? words[i + 1]
                                             : ShellWord{"", words[i].at, nullptr};
    if (llvm::StringRef(name).endswith("map-by")) { // a value such as ppr:8:node
      const auto [kind, rest] = llvm::StringRef(value.text).split(':');
      const auto [number, object] = rest.split(':');
      if (kind != "ppr" || object.split(':').first != "node")
        continue;
      const std::string only = number.str();
      value.text = only;
    }
    if (effect == LauncherEffect::Hosts)
      out.elsewhere = true;
    else
      (effect == LauncherEffect::Nodes     ? out.nodes
       : effect == LauncherEffect::PerNode ? out.perNode
                                           : out.total) = value;
  }
  if (out.launcher != "srun")
    return out;
  const auto inherit = [&](std::optional<ShellWord>& to, const char* option) {
    if (const auto given = batch.find(option); !to && given != batch.end())
      to = given->second;
  };
  const bool counted = out.total.has_value();
  inherit(out.nodes, "--nodes");
  inherit(out.total, "--ntasks");
  if (!counted || !out.perNode)
    inherit(out.perNode, "--ntasks-per-node");
  return out;
}

//===- NcclTuner.cpp - The choice of algorithms as a file for NCCL's tuner --------------------===//
//
// The file is for plugins/tuner/example of github.com/NVIDIA/nccl (5067397c). It has one rule per
// line, and the first rule that matches a communicator and size applies. NCCL passes the larger of
// the send and receive buffers, which is the whole buffer of a rank, as in DPL. It counts scale-up
// domains as nodes (nNodes in src/init.cc).
#include "backends/Target.h"
#include "backends/report/Format.h"
#include "cost/step/CollectiveChoice.h"
#include "ir/Names.h"
#include "support/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <map>
#include <set>

using namespace dpl;

namespace dpl::nccl_tuner {
namespace rule {
#define DPL_RULES "backends/nccl_tuner/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule

namespace {
using cost::CollectiveChoices;

/// The plugin reads lines in parts of 255 bytes. It would parse the rest of a longer comment as a
/// rule.
constexpr std::size_t longestLine = 200;

/// The name of a collective in the file. Null for collectives without tuner calls: messages, and
/// all-to-alls, which consist of messages.
const char* functionOf(ir::CollectiveKind kind) {
  switch (kind) {
  case ir::CollectiveKind::AllReduce:
    return "allreduce";
  case ir::CollectiveKind::ReduceScatter:
    return "reducescatter";
  case ir::CollectiveKind::AllGather:
    return "allgather";
  case ir::CollectiveKind::AllToAll:
  case ir::CollectiveKind::SendReceive:
  case ir::CollectiveKind::Broadcast: // no layout has broadcasts or reduces
  case ir::CollectiveKind::Reduce:
    return nullptr;
  }
  return nullptr;
}

/// The two names of an algorithm in NCCL: in the file, and in NCCL_ALGO.
struct AlgorithmWord {
  const char* file;
  const char* variable;
};
AlgorithmWord wordOf(ir::Algorithm algorithm, bool severalDomains) {
  switch (algorithm) {
  case ir::Algorithm::Ring:
  case ir::Algorithm::ScatteredRing: // the tuner does not choose the order of a ring
  case ir::Algorithm::ListedRing:
    return {"ring", "ring"};
  case ir::Algorithm::DoubleTree:
    return {"tree", "tree"};
  case ir::Algorithm::InSwitch:
    return severalDomains ? AlgorithmWord{"nvls_tree", "nvlstree"} : AlgorithmWord{"nvls", "nvls"};
  case ir::Algorithm::InNetwork:
    return {"collnet_direct", "collnetdirect"};
  case ir::Algorithm::Pat:
    return {"pat", "pat"};
  case ir::Algorithm::Dimensions:
  case ir::Algorithm::Pairwise:
  case ir::Algorithm::Chain:
  case ir::Algorithm::ScatterGather:
  case ir::Algorithm::Pipe:
  case ir::Algorithm::Hierarchical:
  case ir::Algorithm::Tree:
  case ir::Algorithm::Direct:
  case ir::Algorithm::HalvingDoubling:
    break; // these are not in NCCL, or serve collectives that the file does not contain
  }
  return {"ring", "ring"};
}

/// The properties of communicators by which a rule matches. The tuner cannot distinguish
/// communicators with equal properties.
struct Communicator {
  std::string function;
  std::int64_t nodes = -1; ///< −1 matches any number
  std::uint64_t ranks = 0;
};
bool operator==(const Communicator& a, const Communicator& b) {
  return a.function == b.function && a.nodes == b.nodes && a.ranks == b.ranks;
}

struct Section {
  Communicator of;
  const CollectiveChoices* choices = nullptr; ///< choices of the matching group with the longest
                                              ///< time per step
  std::vector<const CollectiveChoices*> others;
};

std::vector<Section> sectionsOf(llvm::ArrayRef<CollectiveChoices> all) {
  std::vector<Section> sections;
  for (const CollectiveChoices& choices : all) {
    const char* function = functionOf(choices.kind);
    if (!function)
      continue;
    const std::int64_t nodes =
        choices.inDomain > 0 ? static_cast<std::int64_t>(choices.ranks / choices.inDomain) : -1;
    const Communicator of{function, nodes, choices.ranks};
    const auto same = llvm::find_if(sections, [&](const Section& s) { return s.of == of; });
    if (same == sections.end()) {
      sections.push_back({of, &choices, {}});
      continue;
    }
    const bool more = choices.secondsOfStep > same->choices->secondsOfStep;
    same->others.push_back(more ? same->choices : &choices);
    if (more)
      same->choices = &choices;
  }
  // The first matching rule applies, so rules for any number of nodes are last.
  llvm::stable_sort(sections, [](const Section& a, const Section& b) {
    return a.of.nodes > 0 && b.of.nodes < 0;
  });
  return sections;
}

bool severalDomains(const Section& s) { return s.of.nodes != 1; }

bool sameRules(const CollectiveChoices& a, const CollectiveChoices& b) {
  return a.ranges.size() == b.ranges.size() &&
         std::equal(a.ranges.begin(), a.ranges.end(), b.ranges.begin(),
                    [](const cost::ChoiceRange& x, const cost::ChoiceRange& y) {
                      return x.last == y.last && x.choice == y.choice;
                    });
}

std::string groupsOf(const CollectiveChoices& choices) {
  return llvm::join(choices.groups, ", ") +
         (choices.everyRank ? "" : fmt::format(" of pipeline rank {}", choices.rank));
}

/// Prefixes each line of a text with a mark. Long lines are cut, because the plugin would cut them.
std::string linesOf(llvm::StringRef text, const char* mark) {
  std::string out;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines) {
    std::size_t end = std::min(line.size(), longestLine);
    while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80)
      --end;
    out += mark + line.take_front(end).str() + "\n";
  }
  return out;
}

std::string comment(const std::string& text) { return linesOf(wrapped(text, 100, 0), "# "); }

std::string rulesOf(const Section& s) {
  const CollectiveChoices& choices = *s.choices;
  std::string out = "\n";
  out +=
      comment(fmt::format("{} over {}: {}, {} in a step", ir::name(choices.kind), groupsOf(choices),
                          plural(choices.ranks, "rank"), report::duration(choices.secondsOfStep)));
  for (const CollectiveChoices* other : s.others)
    if (!sameRules(choices, *other))
      out +=
          comment(fmt::format("Looks alike to the tuner and would run otherwise: {}, {} in a step",
                              groupsOf(*other), report::duration(other->secondsOfStep)));
  for (const cost::ChoiceRange& range : choices.ranges)
    out += fmt::format(
        "{},{},{},{},{},-1,{},{}\n", s.of.function, range.first, range.last,
        wordOf(range.choice.algorithm, severalDomains(s)).file,
        llvm::StringRef(range.choice.protocol ? range.choice.protocol : "simple").lower(),
        s.of.nodes, s.of.ranks);
  return out;
}

std::string configuration(const TargetRequest& request, llvm::ArrayRef<Section> sections) {
  std::string out = linesOf(headerOf(request), "");
  out += "#\n" +
         comment("For NCCL's example tuner, which NCCL_TUNER_CONFIG_FILE leads here: function, "
                 "first and last size in bytes, algorithm, protocol, channels (-1: NCCL's own "
                 "number), nodes, ranks.");
  for (const Section& section : sections)
    out += rulesOf(section);
  return out;
}

/// The algorithms that NCCL may use: "allreduce:nvls,ring,tree;allgather:ring". These are the
/// chosen ones, and rings, which every communicator can run.
std::string allowed(llvm::ArrayRef<Section> sections) {
  std::map<std::string, std::set<std::string>> words;
  for (const Section& s : sections) {
    std::set<std::string>& of = words[s.of.function];
    of.insert("ring");
    for (const cost::ChoiceRange& range : s.choices->ranges)
      of.insert(wordOf(range.choice.algorithm, severalDomains(s)).variable);
  }
  std::string out;
  for (const auto& [function, of] : words)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ";", function, llvm::join(of, ","));
  return out;
}

constexpr const char* environmentTemplate = R"sh({header}#
# For the shell that starts each process: `. FOLDER/environment.sh`.
# The plugin is plugins/tuner/example of NCCL's sources, built with `make` and on the library path.

nccl_tuner_folder=$(cd -- "$(dirname -- "${{BASH_SOURCE[0]}}")" && pwd)
export NCCL_TUNER_CONFIG_FILE=$nccl_tuner_folder/nccl_tuner.conf
export NCCL_TUNER_PLUGIN=${{NCCL_TUNER_PLUGIN:-libnccl-tuner-example.so}}
{allowed})sh";

std::string environment(const TargetRequest& request, llvm::ArrayRef<Section> sections) {
  const std::string words = allowed(sections);
  const std::string line =
      words.empty()
          ? ""
          : "\n# Without the plugin NCCL 2.24 and later can be held to the algorithms that "
            "are chosen\n# anywhere; it holds for every communicator of the process.\n"
            "# export NCCL_ALGO=" +
                quoted(words) + "\n";
  return fmt::format(fmt::runtime(environmentTemplate), fmt::arg("header", headerOf(request)),
                     fmt::arg("allowed", line));
}

void check(const TargetRequest& request, Findings& findings) {
  const ir::Cluster& cluster = request.plan.cluster;
  if (cluster.network.library != ir::CollectiveLibrary::Nccl)
    findings.report<rule::Library>("on", oneLine(cluster.name));
}

std::vector<EmittedFile> render(const TargetRequest& request) {
  const std::vector<CollectiveChoices> all = cost::collectiveChoices(request.plan);
  const std::vector<Section> sections = sectionsOf(all);
  return {{"nccl_tuner.conf", configuration(request, sections), false},
          {"environment.sh", environment(request, sections), false}};
}
} // namespace

extern const Target target;
const Target target{"nccl-tuner", "NCCL's tuner", "NCCL's choice of algorithm and protocol by size",
                    {},           rule::all,      check,
                    render};
} // namespace dpl::nccl_tuner

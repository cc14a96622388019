//===- LogRows.cpp - Rows of a log, with the values of its header -----------------------------===//
#include "driver/calibrate/LogRows.h"
#include "ir/Names.h"
#include "support/diagnostics/Score.h"
using namespace dpl;
using namespace dpl::score;

namespace {
struct TestProgram {
  llvm::StringRef program;
  ir::CollectiveKind kind;
};
constexpr TestProgram tests[] = {{"all_reduce", ir::CollectiveKind::AllReduce},
                                 {"all_gather", ir::CollectiveKind::AllGather},
                                 {"reduce_scatter", ir::CollectiveKind::ReduceScatter},
                                 {"alltoall", ir::CollectiveKind::AllToAll},
                                 {"sendrecv", ir::CollectiveKind::SendReceive},
                                 {"broadcast", ir::CollectiveKind::Broadcast},
                                 {"reduce", ir::CollectiveKind::Reduce}};
} // namespace

LogRows::LogRows(std::uint32_t file, const LogDefaults& defaults, SourceManager& sources,
                 DiagnosticEngine& diags, std::vector<CollectiveTiming>& rows)
    : text(sources.text(file)), file(file), defaults(defaults), sources(sources), diags(diags),
      rows(rows), before(rows.size()) {}

SourceRange LogRows::at(llvm::StringRef piece) const {
  const auto begin = static_cast<std::uint32_t>(piece.data() - text.data());
  return {file, begin, begin + static_cast<std::uint32_t>(piece.size())};
}

LogicalResult LogRows::wrong(llvm::StringRef piece, const std::string& what) {
  return diags.report<diag::LogWrong>(at(piece), what);
}

void LogRows::beginDevices() {
  ranks = 0;
  hosts.clear();
}

LogicalResult LogRows::program(llvm::StringRef name) {
  const llvm::StringRef own = name.substr(name.rfind('/') + 1);
  for (const TestProgram& test : tests)
    if (own.startswith(test.program)) {
      kind = test.kind;
      return LogicalResult::success();
    }
  return wrong(name,
               fmt::format("`{}` is not a supported collective: all_reduce, all_gather, "
                           "reduce_scatter, alltoall, sendrecv, broadcast or reduce is needed",
                           own));
}

void LogRows::process(llvm::StringRef host, std::uint64_t lastRank) {
  ranks = std::max(ranks, lastRank + 1);
  hosts.insert(host.str());
}

LogicalResult LogRows::missingInput(llvm::StringRef piece, const char* what, const char* option) {
  return diags.report<diag::LogUnsaid>(at(piece), what)
      .help(fmt::format("add an option such as `{}`", option));
}

LogicalResult LogRows::row(llvm::StringRef piece, std::uint64_t bytes, double microseconds) {
  if (bytes == 0) // A sweep that starts at 8 bytes has rows of 0 bytes where the ranks do not
                  // divide the size.
    return LogicalResult::success();
  CollectiveTiming made{kind ? *kind : defaults.kind.value_or(ir::CollectiveKind::AllReduce),
                        ranks > 0 ? ranks : defaults.ranks,
                        hosts.empty() ? defaults.nodes : hosts.size(),
                        bytes,
                        microseconds * 1e-6,
                        at(piece),
                        ofThread,
                        device};
  if (!kind && !defaults.kind)
    return missingInput(piece, "which collective it times", "--op all_reduce");
  if (kind && defaults.kind && *kind != *defaults.kind)
    return wrong(piece, fmt::format("the log is of {}, but `--op {}` is given", ir::name(*kind),
                                    ir::name(*defaults.kind)));
  if (ranks > 0 && defaults.ranks > 0 && ranks != defaults.ranks)
    return wrong(piece, fmt::format("the log is of {} ranks, but `--ranks {}` is given", ranks,
                                    defaults.ranks));
  if (!hosts.empty() && defaults.nodes > 0 && hosts.size() != defaults.nodes)
    return wrong(piece, fmt::format("the log is of {} nodes, but `--nodes {}` is given",
                                    hosts.size(), defaults.nodes));
  if (made.ranks == 0)
    return missingInput(piece, "how many ranks take part", "--ranks 16");
  if (made.nodes == 0)
    return missingInput(piece, "how many nodes they are on", "--nodes 2");
  if (made.ranks < 2)
    return wrong(piece, "a collective needs at least 2 ranks, the log has 1");
  if (made.ranks % made.nodes != 0)
    return wrong(piece, fmt::format("{} ranks on {} nodes: each node needs the same number",
                                    made.ranks, made.nodes));
  if (ofThread > made.ranks / made.nodes)
    return wrong(piece,
                 fmt::format("threads of the log have {} devices each, its nodes have {} ranks",
                             ofThread, made.ranks / made.nodes));
  if (!(microseconds > 0))
    return wrong(piece, fmt::format("the time is {}, more than 0 is needed", microseconds));
  rows.push_back(made);
  return LogicalResult::success();
}

LogicalResult LogRows::end() {
  if (rows.size() > before)
    return LogicalResult::success();
  return diags.report<diag::LogEmpty>({file, 0, 0}, sources.name(file));
}

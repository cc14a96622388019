//===- Memory.cpp - Memory of a plan's devices, as text ---------------------------------------===//
#include "backends/report/Memory.h"
#include "backends/report/Format.h"
#include "backends/report/MemoryComponents.h"
#include "backends/report/TextTable.h"
#include "cost/step/HostMemory.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "support/Text.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;
using ir::real;

namespace {
constexpr double gibibyte = 1ULL << 30;

std::string titled(const std::string& text, unsigned width) {
  return "\n" + wrapped(text, width, 0) + "\n";
}
std::string remark(const std::string& text, unsigned width) {
  return "  " + wrapped(text, width - 2, 2) + "\n";
}
/// The decimals that distinguish components if the largest has `most` GiB.
int decimalsFor(double most) { return most >= 100 ? 1 : most >= 1 ? 2 : 4; }
std::string inGibibytes(std::uint64_t bytes, int decimals) {
  return fmt::format("{:.{}f}", real(bytes) / gibibyte, decimals);
}

/// A chart of one rank's memory over the step. A column shows the time of its interval at which
/// most memory is in use.
class MemoryChart {
public:
  MemoryChart(const ir::Plan& plan, const MemoryBreakdown& breakdown, unsigned width)
      : breakdown(breakdown), end(ir::toPicoseconds(plan.step->end)),
        columns(width - static_cast<unsigned>(margin) - 1) {}

  std::string text() const {
    const std::vector<std::vector<MemoryComponent>> all = fullest();
    const std::uint64_t top = breakdown.curve[breakdown.peak].bytes;
    std::string out;
    for (unsigned row = 0; row < rows; ++row) {
      const double level = real(top) * (rows - row - 0.5) / rows;
      std::string line;
      for (const std::vector<MemoryComponent>& parts : all)
        line += letterAt(parts, level);
      line.erase(line.find_last_not_of(' ') + 1);
      const std::string mark =
          row % 3 == 0 ? inGibibytes(static_cast<std::uint64_t>(real(top) * (rows - row) / rows), 1)
                       : "";
      out += fmt::format("  {:>{}} |{}\n", mark, margin - 4, line);
    }
    const std::string last = fromPicoseconds(end);
    const std::size_t peak = columnOf(breakdown.moment.time);
    std::string axis = "0s";
    axis.resize(columns, ' ');
    axis.replace(columns - last.size(), last.size(), last);
    // The mark has a line of its own if the labels of the axis are in its place.
    if (peak > 2 && peak + last.size() + 1 < columns)
      axis[peak] = '^';
    else
      out += std::string(margin + peak, ' ') + "^\n";
    return out + std::string(margin, ' ') + axis + "\n";
  }

private:
  static constexpr std::size_t margin = 10;
  static constexpr unsigned rows = 12;

  std::size_t columnOf(std::uint64_t time) const {
    const double at = real(time) / real(std::max<std::uint64_t>(end, 1)) * columns;
    return std::min<std::size_t>(static_cast<std::size_t>(at), columns - 1);
  }
  /// For each column of the chart: the memory components at the time of its largest total.
  std::vector<std::vector<MemoryComponent>> fullest() const {
    std::vector<std::size_t> best(columns, 0);
    std::vector<bool> known(columns, false);
    for (std::size_t i = 0; i < breakdown.curve.size(); ++i) {
      const std::size_t first = columnOf(breakdown.curve[i].time),
                        last = i + 1 < breakdown.curve.size()
                                   ? columnOf(breakdown.curve[i + 1].time)
                                   : columns - 1;
      for (std::size_t c = first; c <= last; ++c)
        if (!known[c] || breakdown.curve[i].bytes > breakdown.curve[best[c]].bytes)
          best[c] = i, known[c] = true;
    }
    std::vector<std::vector<MemoryComponent>> all;
    for (const std::size_t i : best)
      all.push_back(breakdown.at(i));
    return all;
  }
  static char letterAt(const std::vector<MemoryComponent>& parts, double level) {
    double sum = 0;
    for (const MemoryComponent& part : parts)
      if ((sum += real(part.bytes)) > level)
        return part.letter;
    return ' ';
  }

  const MemoryBreakdown& breakdown;
  const std::uint64_t end;
  const unsigned columns;
};

std::string peakTable(const MemoryBreakdown& breakdown, unsigned width) {
  TextTable table({"part", "", "GiB", "share"}, 2);
  const std::uint64_t peak = breakdown.curve[breakdown.peak].bytes;
  const int decimals = decimalsFor(real(peak) / gibibyte);
  for (const MemoryComponent& part : breakdown.at(breakdown.peak))
    if (part.bytes > 0)
      table.row({part.name, std::string(1, part.letter), inGibibytes(part.bytes, decimals),
                 percent(real(part.bytes) / real(peak))});
  return table.render(width);
}

/// A line about the memory that PyTorch's allocator reserves for temporary tensors.
std::string segmentsLine(const ir::Plan& plan, std::uint64_t rank, unsigned width) {
  const std::string path = fmt::format("memory.rank[{}].segments", rank);
  const std::optional<double> taken = figures::Figures(plan).value(path);
  if (!taken)
    return "";
  const ir::RankMemory& memory = plan.memory[rank];
  return remark(
      fmt::format("PyTorch's allocator reserves segments of {} for the {} without reserved "
                  "memory",
                  report::memory(*taken), report::memory(real(memory.peak() - memory.reserved))),
      width);
}

/// Lines about offloaded bytes, per device of each pipeline rank and on the fullest node.
std::string offloadedLines(const ir::Plan& plan, unsigned width) {
  const std::vector<cost::OffloadedBytes> offloaded = cost::offloadedOf(plan);
  const std::optional<cost::FullestNode> node = cost::fullestNode(plan, offloaded);
  if (!node)
    return "";
  double most = 0;
  for (const cost::OffloadedBytes& of : offloaded)
    most = std::max(most, real(of.all()) / gibibyte);
  const auto cell = [&](std::uint64_t bytes) {
    return bytes == 0 ? "-" : inGibibytes(bytes, decimalsFor(most));
  };
  TextTable table({"rank", "weights", "gradients", "optimizer", "activations", "all"});
  for (std::size_t rank = 0; rank < offloaded.size(); ++rank) {
    const cost::OffloadedBytes& of = offloaded[rank];
    table.row({fmt::format("{}", rank), cell(of.parameters), cell(of.gradients), cell(of.optimizer),
               cell(of.activations), cell(of.all())});
  }
  table.mergeEqualRows();
  table.dropDashes();
  return titled("Host memory of one device in GiB, by pipeline rank", width) + table.render(width) +
         remark(hostText(plan.cluster, *node), width);
}

/// A table of changes. Those that are too long for it are numbered and printed below it.
std::string triedTable(const ir::Plan& plan, const TriedChanges& changes, double step,
                       unsigned width) {
  const std::vector<TriedChange>& tried = changes.tried;
  const std::string rest =
      changes.all
          ? ""
          : remark("some changes were not tried, because a step has too many actions", width);
  constexpr unsigned columns = 46; // width of all columns but the first
  const std::optional<cost::FullestNode> host = cost::fullestNode(plan);
  const bool fits = ir::tightest(plan.memory)->headroom() >= 0 && (!host || host->fits());
  if (tried.empty())
    return titled(fits ? "No larger micro-batch, context or number of layers fits"
                       : "None of the changes that were tried needs less memory",
                  width) +
           rest;
  std::string out = titled(fits ? "The largest values that still fit, each changed alone"
                                : "Changes that need less memory",
                           width);
  const bool numbered = llvm::any_of(
      tried, [&](const TriedChange& change) { return change.text.size() + columns > width; });
  const bool offloads = llvm::any_of(tried, [](const TriedChange& c) { return c.host > 0; });
  TextTable table({fits ? "grows to" : "change", "peak", "free", "host", "step", "of current"}, 1);
  std::string below;
  bool negative = false, tight = false;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const TriedChange& change = tried[i];
    const std::string number = std::to_string(i + 1);
    const double free = (real(change.usable) - real(change.peak)) / real(change.usable);
    negative = negative || free < 0;
    tight = tight || (free >= 0 && free < plan.lint.headroom);
    table.row({numbered ? number : change.text, memory(real(change.peak)), percent(free),
               change.host > 0 ? memory(real(change.host)) : "-", duration(change.step),
               step > 0 ? percent(change.step / step) : "-"});
    if (numbered)
      below += fmt::format("  {}  {}\n", number, wrapped(change.text, width - 5, 5));
  }
  table.dropDashes();
  return out + table.render(width) + below +
         (negative ? remark("negative: it does not fit yet", width) : "") +
         (tight ? remark(fmt::format("free: `lint.headroom` requires {:g} %",
                                     100 * plan.lint.headroom),
                         width)
                : "") +
         (offloads ? remark("host: memory of a node with offloaded tensors", width) : "") + rest;
}
} // namespace

std::string report::memoryByRank(const ir::Plan& plan, unsigned width) {
  if (plan.memory.empty())
    return "";
  double most = 0;
  bool alike = true, oneSize = true; // whether the devices of all ranks are alike, and the
                                     // memory of their context and communicators
  bool whole = true;                 // false if interleaving keeps parts of a micro-batch in flight
  std::vector<std::uint64_t> blocks; // free blocks of the allocator, by rank
  for (const ir::RankMemory& m : plan.memory) {
    most = std::max(most, real(m.peak()) / gibibyte);
    whole = whole && m.inFlight == std::floor(m.inFlight);
    oneSize = oneSize && m.usable == plan.memory.front().usable;
    blocks.push_back(MemoryBreakdown::freeBlocksOf(plan, m.rank));
    alike = alike && oneSize &&
            m.reserved - blocks.back() == plan.memory.front().reserved - blocks.front();
  }
  const int decimals = decimalsFor(most);
  TextTable table({"rank", "weights", "gradients", "optimizer", "buffers", "activations",
                   "temporary", "update", "runtime", "free blocks", "peak", "free", "in flight"});
  const auto cell = [&](std::uint64_t bytes) {
    return bytes == 0 ? "-" : inGibibytes(bytes, decimals);
  };
  for (const ir::RankMemory& m : plan.memory)
    table.row({fmt::format("{}", m.rank), cell(m.parameters), cell(m.gradients), cell(m.optimizer),
               cell(m.buffers), cell(m.activations), cell(m.temporary), cell(m.update),
               alike ? "-" : cell(m.reserved - blocks[m.rank]), cell(blocks[m.rank]),
               cell(m.peak()), percent(static_cast<double>(m.headroom()) / real(m.usable)),
               fmt::format("{:.{}f}", m.inFlight, whole ? 0 : 1)});
  table.mergeEqualRows();
  table.dropDashes();
  const ir::RankMemory& first = plan.memory.front();
  const std::string limits =
      alike ? fmt::format(
                  "peak: includes {:.4g} of the runtime (CUDA context and communicators); free: of "
                  "{:.4g} usable",
                  real(first.reserved - blocks.front()) / gibibyte, real(first.usable) / gibibyte)
      : oneSize ? fmt::format("free: of {:.4g} usable", real(first.usable) / gibibyte)
                : "free: of the smallest device that holds the rank";
  return titled("Memory of one device at its peak in GiB, by pipeline rank", width) +
         table.render(width) +
         remark(limits +
                    (table.has("free blocks")
                         ? "; free blocks: kept by PyTorch's allocator, computed "
                           "for the fullest ranks"
                         : "") +
                    "; in flight: micro-batches with saved activations at the peak",
                width) +
         offloadedLines(plan, width);
}

std::string report::renderMemory(const ir::Plan& plan, const TriedChanges& changes, double step,
                                 unsigned width) {
  const ir::RankMemory* fullest = ir::tightest(plan.memory);
  if (!fullest)
    return "";
  width = std::max(width, 60U);
  const MemoryBreakdown breakdown(plan, fullest->rank);
  return wrapped(fmt::format("{} ({})", plan.name, plan.file), width, 0) + "\n" +
         memoryByRank(plan, width) +
         titled(fmt::format("Rank {} over the step, in GiB: peak {} of {}, {}", fullest->rank,
                            memory(real(fullest->peak())), memory(real(fullest->usable)),
                            peakWords(plan, breakdown)),
                width) +
         MemoryChart(plan, breakdown, width).text() +
         titled("Components at the peak, with their letters above", width) +
         peakTable(breakdown, width) + segmentsLine(plan, fullest->rank, width) +
         triedTable(plan, changes, step, width);
}

//===- Profile.cpp - The work of one rank, as its trace has it --------------------------------===//
#include "driver/compare/Profile.h"
#include "driver/compare/Host.h"
#include "ir/Names.h"
#include "support/diagnostics/Tools.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <unordered_map>
using namespace dpl;
using namespace dpl::compare;
using ir::CollectiveKind;

namespace {
/// Limits that keep a comparison below a gigabyte.
constexpr std::size_t mostRecords = 8'000'000, mostCollectives = 1'000'000,
                      mostNameBytes = 128 << 20;

std::uint64_t bytesOfType(llvm::StringRef type) {
  const std::string lower = type.lower();
  const llvm::StringRef t = lower;
  if (t.contains("16") || t == "half")
    return 2;
  if (t.contains("8") || t == "byte" || t == "char" || t == "bool")
    return 1;
  return t == "double" || t == "long" || t.contains("64") ? 8 : 4;
}

std::optional<CollectiveKind> kindNamed(llvm::StringRef name) {
  std::string plain;
  for (const char c : name.lower())
    if (c != '_')
      plain.push_back(c);
  const llvm::StringRef text = plain;
  if (text.contains("allreduce"))
    return CollectiveKind::AllReduce;
  if (text.contains("reducescatter"))
    return CollectiveKind::ReduceScatter;
  if (text.contains("allgather"))
    return CollectiveKind::AllGather;
  if (text.contains("alltoall"))
    return CollectiveKind::AllToAll;
  if (text.contains("send") || text.contains("recv"))
    return CollectiveKind::SendReceive;
  if (text.contains("broadcast"))
    return CollectiveKind::Broadcast;
  if (text.contains("reduce"))
    return CollectiveKind::Reduce;
  return std::nullopt;
}

enum class Category : std::uint8_t { Other, Device, Launch, Operator, Annotation, Emitted };
Category categoryOf(llvm::StringRef category) {
  const std::string lower = category.lower();
  return llvm::StringSwitch<Category>(lower)
      .Cases("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset", Category::Device)
      .Cases("cuda_runtime", "cuda_driver", "runtime", "hip_runtime", "hip_driver",
             Category::Launch)
      .Cases("cpu_op", "operator", Category::Operator)
      .Case("user_annotation", Category::Annotation)
      .Cases("action", "compute", "collective", "step_end", Category::Emitted)
      .Default(Category::Other);
}

class ProfileReader {
public:
  ProfileReader(const std::string& path, std::uint64_t steps) {
    out.path = path, out.steps = std::max<std::uint64_t>(steps, 1);
  }

  FailureOr<Profile> read(DiagnosticEngine& diags) {
    if (readTrace(
            out.path, out.head, [&](const TraceEvent& e) { visit(e); }, diags)
            .failed())
      return LogicalResult::failure();
    if (tooMany)
      return diags
          .report<diag::TraceWrong>(
              SourceRange{}, out.path,
              fmt::format("it has more than {} kernels and operators", mostRecords))
          .help("profile fewer steps, or without `with_stack`");
    if (!negative.empty())
      return diags.report<diag::TraceWrong>(
          SourceRange{}, out.path,
          fmt::format("`{}` has a negative duration", llvm::StringRef(negative).take_front(80)));
    join();
    if (out.works.empty() && out.emitted.empty())
      return diags.report<diag::TraceEmpty>(SourceRange{}, out.path)
          .help("`torch.profiler.profile(activities=[CPU, CUDA])` records kernels");
    if (!hasTime())
      return diags.report<diag::TraceWrong>(SourceRange{}, out.path, "all its durations are zero");
    out.names = names.release();
    return std::move(out);
  }

private:
  bool hasTime() const {
    return llvm::any_of(out.works, [](const DeviceWork& work) { return work.end > work.begin; }) ||
           llvm::any_of(out.emitted, [](const auto& rank) {
             return llvm::any_of(rank.second,
                                 [](const auto& part) { return part.second.time > 0; });
           });
  }
  void visit(const TraceEvent& e) {
    if (e.phase != 'X' || tooMany)
      return;
    const Category category = categoryOf(e.category);
    if (e.duration < 0) {
      // Profilers close a range of the host early; a kernel cannot end before it begins.
      if (negative.empty() && (category == Category::Device || category == Category::Emitted))
        negative = e.name;
      return;
    }
    const std::int64_t end = e.begin + e.duration;
    switch (category) {
    case Category::Device: {
      DeviceWork work;
      work.begin = e.begin, work.end = end;
      work.name = names.number(e.name),
      work.stream = names.number(e.stream.empty() ? e.thread : e.stream);
      work.collective = collectiveOf(e);
      out.works.push_back(work), correlations.push_back(numberOf(e.correlation));
      break;
    }
    case Category::Launch:
      if (const std::uint64_t correlation = numberOf(e.correlation))
        launchOf.try_emplace(correlation, launches.size()),
            launches.push_back({e.begin, names.number(e.thread)});
      break;
    case Category::Annotation:
      if (llvm::StringRef(e.name).startswith("ProfilerStep"))
        steps.emplace_back(e.begin, end);
      else
        range(e, end, true);
      break;
    case Category::Operator:
      range(e, end, false);
      break;
    case Category::Emitted:
      if (std::uint64_t process = 0; out.head.emitted &&
                                     !llvm::StringRef(e.process).getAsInteger(10, process) &&
                                     process > 0) {
        EmittedTime& time =
            out.emitted[process - 1][{e.category, emittedName(e.name, e.group, e.bytes)}];
        time.time += e.duration, ++time.count;
        out.stepTime = std::max(out.stepTime, end);
      }
      break;
    case Category::Other:
      break;
    }
    tooMany |= out.works.size() + launches.size() + ranges.size() > mostRecords ||
               out.collectives.size() > mostCollectives || names.bytes() > mostNameBytes;
  }
  void range(const TraceEvent& e, std::int64_t end, bool annotation) {
    ranges.push_back({e.begin, end, names.number(e.thread), names.number(e.name),
                      names.number(e.shapes), collectiveOf(e), annotation});
  }
  static std::uint64_t numberOf(llvm::StringRef text) {
    std::uint64_t number = 0;
    return text.getAsInteger(10, number) ? 0 : number;
  }
  std::uint32_t collectiveOf(const TraceEvent& e) {
    if (e.collective.empty())
      return 0;
    MeasuredCollective made;
    made.kind = kindNamed(e.collective);
    const std::uint64_t elements =
        made.kind == CollectiveKind::AllGather ? e.outElements : e.inElements;
    made.bytes = std::min(elements, std::uint64_t{1} << 50) * bytesOfType(e.type);
    made.groupSize = e.groupSize, made.ranks = names.number(e.ranks);
    return numberOf(made);
  }
  /// A collective of which only the kernel is known.
  std::uint32_t collectiveNamed(llvm::StringRef name, bool allToAll) {
    MeasuredCollective made;
    made.kind = allToAll ? CollectiveKind::AllToAll : kindNamed(name);
    return numberOf(made);
  }
  std::uint32_t numberOf(const MeasuredCollective& made) {
    const auto [known, added] =
        numbers.try_emplace(made, static_cast<std::uint32_t>(out.collectives.size() + 1));
    if (added)
      out.collectives.push_back(made);
    return known->second;
  }

  void join() {
    Host host(names, std::move(ranges));
    out.hostOnly = out.works.empty() && out.emitted.empty();
    if (out.hostOnly)
      out.works = host.operatorsAsWork(out.actions), out.knowsDirections = true;
    else
      addContexts(host);
    for (DeviceWork& work : out.works)
      if (work.work == WorkClass::Collective && work.collective == 0)
        work.collective = collectiveNamed(names[work.name], false);
    std::stable_sort(out.works.begin(), out.works.end(),
                     [](const DeviceWork& a, const DeviceWork& b) { return a.begin < b.begin; });
    markSteps();
  }
  void addContexts(Host& host) {
    const std::vector<HostContext> contexts = host.contextsOf(launches, out.actions);
    struct KernelName {
      WorkClass work = WorkClass::Other;
      bool backward = false;
    };
    std::vector<std::optional<KernelName>> kernels; // by name
    for (std::size_t i = 0; i < out.works.size(); ++i) {
      DeviceWork& work = out.works[i];
      if (kernels.size() <= work.name)
        kernels.resize(work.name + 1);
      std::optional<KernelName>& kernel = kernels[work.name];
      if (!kernel)
        kernel = KernelName{classOf(names[work.name]), isBackward(names[work.name])};
      work.work = kernel->work, work.backward = kernel->backward;
      const auto launch = launchOf.find(correlations[i]);
      if (correlations[i] == 0 || launch == launchOf.end())
        continue;
      const HostContext& context = contexts[launch->second];
      work.launched = launches[launch->second].time;
      work.shapes = context.shapes, work.action = context.action;
      work.backward |= context.backward, out.knowsDirections |= context.known;
      const bool vague = work.work == WorkClass::Pointwise || work.work == WorkClass::Other ||
                         work.work == WorkClass::Routing;
      if (work.work == WorkClass::Collective) {
        if (work.collective == 0)
          work.collective = context.collective;
        if (work.collective == 0 && context.allToAll)
          work.collective = collectiveNamed(names[work.name], true);
      } else if (context.work == WorkClass::Optimizer ||
                 (vague && context.work != WorkClass::Other &&
                  context.work != WorkClass::Collective && context.work != WorkClass::Pointwise)) {
        work.work = context.work;
      } else if (work.work == WorkClass::Other && context.work == WorkClass::Pointwise) {
        work.work = WorkClass::Pointwise;
      }
    }
  }
  void markSteps() {
    llvm::sort(steps);
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    if (!out.emitted.empty())
      return;
    if (!steps.empty()) {
      out.marked = true, out.steps = steps.size(), out.stepTime = 0;
      for (const auto& [begin, end] : steps)
        out.stepTime += end - begin;
    } else if (!out.works.empty()) {
      std::int64_t last = out.works.front().end;
      for (const DeviceWork& work : out.works)
        last = std::max(last, work.end);
      out.stepTime = last - out.works.front().begin;
    }
    for (DeviceWork& work : out.works) {
      const std::int64_t at = work.launched >= 0 ? work.launched : work.begin;
      const auto after =
          llvm::upper_bound(steps, std::pair(at, std::numeric_limits<std::int64_t>::max()));
      work.step = !out.marked || (after != steps.begin() && at < std::prev(after)->second);
    }
  }

  Profile out;
  Names names;
  std::vector<std::uint64_t> correlations; ///< parallel to the works
  std::unordered_map<std::uint64_t, std::size_t> launchOf;
  std::vector<HostLaunch> launches;
  std::vector<HostRange> ranges;
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  std::map<MeasuredCollective, std::uint32_t> numbers;
  bool tooMany = false;
  std::string negative; ///< the first kernel with a negative duration
};
} // namespace

std::string compare::emittedName(const std::string& name, const std::string& group,
                                 std::uint64_t bytes) {
  // Actions have their micro-batch in the name, which all micro-batches share here.
  if (!group.empty())
    return fmt::format("{} over {}, {} B", name, group, bytes);
  llvm::StringRef kind = name;
  const std::size_t number = kind.find_first_of("0123456789");
  if (number == llvm::StringRef::npos)
    return name;
  return kind.take_front(number).rtrim().str();
}

FailureOr<Profile> compare::readProfile(const std::string& path, std::uint64_t steps,
                                        DiagnosticEngine& diags) {
  return ProfileReader(path, steps).read(diags);
}

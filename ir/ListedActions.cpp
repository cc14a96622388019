//===- ListedActions.cpp - Parser of the actions in `schedule = custom` -----------------------===//
#include "ir/ListedActions.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
constexpr llvm::StringRef letters = "FBIWR"; ///< in the order of ActionKind
constexpr std::uint64_t mostNumber = 999'999'999;
constexpr std::size_t longestShown = 40;

/// An action as written in a schedule.
struct WrittenAction {
  ActionKind kind = ActionKind::Forward;
  std::uint64_t microBatch = 0;
  std::optional<std::uint64_t> stage;
  ScheduleTextRange at;
};

/// Reads the actions of a schedule one by one.
class ActionReader {
public:
  explicit ActionReader(llvm::StringRef text) : text(text) {}

  /// Whether another word follows.
  bool more() {
    at = text.find_first_not_of(blanks, at);
    if (at == llvm::StringRef::npos)
      return false;
    end = std::min(text.find_first_of(blanks, at), text.size());
    return true;
  }
  ScheduleTextRange part() const {
    return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
  }
  /// The word as an action, if it is one; advances past it.
  std::optional<WrittenAction> next() {
    WrittenAction op;
    op.at = part();
    llvm::StringRef word = text.slice(at, end);
    at = end;
    if (!word.empty() && isDigit(word.front()) && !number(word, op.stage.emplace()))
      return std::nullopt;
    const std::size_t kind = word.empty() ? llvm::StringRef::npos : letters.find(word.front());
    if (kind == llvm::StringRef::npos)
      return std::nullopt;
    op.kind = static_cast<ActionKind>(kind);
    word = word.drop_front();
    if (!number(word, op.microBatch) || !word.empty())
      return std::nullopt;
    return op;
  }

private:
  static constexpr llvm::StringRef blanks = " ,\t\n\r";
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  static bool number(llvm::StringRef& word, std::uint64_t& out) {
    return !word.empty() && isDigit(word.front()) && !word.consumeInteger(10, out) &&
           out <= mostNumber;
  }
  llvm::StringRef text;
  std::size_t at = 0, end = 0;
};

/// Checks the schedule of one rank.
class ScheduleCheck {
public:
  ScheduleCheck(const Placement& placement, std::uint64_t rank, llvm::StringRef text,
                std::uint64_t microBatches, bool inAdvance, bool recomputes)
      : placement(placement), rank(rank), text(text), microBatches(microBatches),
        inAdvance(inAdvance), recomputes(recomputes) {}

  std::optional<ScheduleProblem> first() {
    // A complete schedule has at least two actions per micro-batch and chunk. A micro-batch above
    // this number implies a missing lower one.
    std::size_t words = 0;
    for (ActionReader reader(text); reader.more(); reader.next())
      ++words;
    known = std::min<std::uint64_t>(microBatches, words / placement.chunks + 1);
    seen.assign(known * placement.chunks, {});
    for (ActionReader reader(text); reader.more();) {
      const ScheduleTextRange at = reader.part();
      const std::optional<WrittenAction> op = reader.next();
      if (!op || (!op->stage && placement.chunks > 1)) {
        ScheduleProblem wrong =
            problem(ScheduleProblem::ScheduleProblemKind::NoAction, at, shown(at));
        wrong.stage = placement.stageReplicaOf(rank, 0).stage;
        return wrong;
      }
      if (auto wrong = wrongWith(*op))
        return wrong;
    }
    for (std::uint64_t chunk = 0; chunk < placement.chunks; ++chunk)
      for (std::uint64_t m = 0; m < known; ++m)
        if (const auto misses = missing(seen[chunk * known + m]))
          return absent(named(*misses, chunk, m), m);
    return std::nullopt;
  }

private:
  /// The positions of the actions of one micro-batch and chunk.
  struct ActionPositions {
    std::array<ScheduleTextRange, letters.size()> at{};
    bool has(ActionKind kind) const { return at[static_cast<std::size_t>(kind)].end > 0; }
  };

  std::optional<ActionKind> missing(const ActionPositions& passes) const {
    using enum ActionKind;
    if (!passes.has(Forward))
      return Forward;
    if (recomputes && !passes.has(Recomputation))
      return Recomputation;
    if (passes.has(Backward) || passes.has(BackwardWeight))
      return std::nullopt;
    return passes.has(BackwardInput) ? BackwardWeight : Backward;
  }
  static bool isGradient(ActionKind kind) {
    return kind != ActionKind::Forward && kind != ActionKind::Recomputation;
  }
  /// If the schedule lacks the micro-batch entirely but has higher ones, the error is at the
  /// highest one.
  ScheduleProblem absent(std::string what, std::uint64_t microBatch) const {
    ScheduleProblem wrong =
        problem(ScheduleProblem::ScheduleProblemKind::Missing, {}, std::move(what));
    std::uint64_t highest = microBatch;
    bool stands = false;
    for (ActionReader reader(text); reader.more();)
      if (const std::optional<WrittenAction> op = reader.next()) {
        stands |= op->microBatch == microBatch;
        if (op->microBatch > highest)
          highest = op->microBatch, wrong.at = op->at;
      }
    if (stands || highest + 1 != microBatches)
      wrong.at = {};
    else
      wrong.other = shown(wrong.at);
    return wrong;
  }
  /// The action that must precede an action.
  ActionKind needed(const WrittenAction& op, const ActionPositions& passes) const {
    using enum ActionKind;
    if (op.kind == BackwardWeight)
      return BackwardInput;
    return recomputes && isGradient(op.kind) && passes.has(Forward) ? Recomputation : Forward;
  }

  std::optional<ScheduleProblem> wrongWith(const WrittenAction& op) {
    using enum ActionKind;
    std::uint64_t chunk = 0;
    if (op.stage) {
      std::optional<std::uint64_t> owner;
      if (*op.stage < placement.stages()) {
        const Placement::ChunkLocation place = placement.locationOf(*op.stage);
        owner = place.rank, chunk = place.chunk;
      }
      if (owner != rank) {
        ScheduleProblem wrong =
            problem(ScheduleProblem::ScheduleProblemKind::OtherRank, op.at, shown(op.at));
        wrong.stage = *op.stage, wrong.owner = owner;
        return wrong;
      }
    }
    if (op.kind == Recomputation && !inAdvance)
      return problem(ScheduleProblem::ScheduleProblemKind::NotRequested, op.at, shown(op.at));
    if (op.microBatch >= known)
      return std::nullopt; // a lower one is missing
    ActionPositions& passes = seen[chunk * known + op.microBatch];
    for (const ActionKind given :
         {Forward, Backward, BackwardInput, BackwardWeight, Recomputation}) {
      const bool same = given == op.kind || (isGradient(given) && isGradient(op.kind) &&
                                             (op.kind == Backward || given == Backward));
      if (same && passes.has(given)) {
        ScheduleProblem wrong =
            problem(ScheduleProblem::ScheduleProblemKind::Twice, op.at, shown(op.at));
        wrong.earlier = passes.at[static_cast<std::size_t>(given)];
        wrong.other = shown(*wrong.earlier);
        return wrong;
      }
    }
    const ActionKind needs = needed(op, passes);
    if (op.kind != Forward && !passes.has(needs)) {
      ScheduleProblem wrong =
          problem(ScheduleProblem::ScheduleProblemKind::TooEarly, op.at, shown(op.at));
      wrong.other = named(needs, chunk, op.microBatch);
      return wrong;
    }
    passes.at[static_cast<std::size_t>(op.kind)] = op.at;
    return std::nullopt;
  }

  ScheduleProblem problem(ScheduleProblem::ScheduleProblemKind kind, ScheduleTextRange at,
                          std::string what) const {
    ScheduleProblem wrong;
    wrong.kind = kind, wrong.rank = rank, wrong.microBatches = microBatches;
    wrong.at = at, wrong.what = std::move(what);
    return wrong;
  }
  std::string shown(ScheduleTextRange at) const {
    const llvm::StringRef word = text.slice(at.begin, at.end);
    return word.size() <= longestShown ? word.str() : word.take_front(longestShown).str() + "…";
  }
  std::string named(ActionKind kind, std::uint64_t chunk, std::uint64_t microBatch) const {
    const char letter = *letterOf(kind);
    return placement.chunks == 1
               ? fmt::format("{}{}", letter, microBatch)
               : fmt::format("{}{}{}", placement.stageReplicaOf(rank, chunk).stage, letter,
                             microBatch);
  }

  const Placement& placement;
  std::uint64_t rank;
  llvm::StringRef text;
  std::uint64_t microBatches;
  bool inAdvance, recomputes; ///< requested by the layout; present in some schedule
  std::uint64_t known = 0;    ///< micro-batches that are checked
  std::vector<ActionPositions> seen;
};

Placement placementOf(const CustomSchedule& lists, std::uint64_t chunks) {
  return {lists.placement, lists.ranks.size(), chunks};
}
} // namespace

std::optional<char> dpl::ir::letterOf(ActionKind kind) {
  const auto row =
      static_cast<std::size_t>(kind == ActionKind::PairedForward ? ActionKind::Forward : kind);
  return row < letters.size() ? std::optional(letters[row]) : std::nullopt;
}

std::string dpl::ir::rangeOfRankSchedule(std::uint64_t rank) {
  return fmt::format("schedule.actions[{}]", rank);
}

namespace {
std::uint64_t microBatchesIn(llvm::StringRef list) {
  std::uint64_t count = 0;
  for (ActionReader reader(list); reader.more();)
    if (const std::optional<WrittenAction> op = reader.next())
      count = std::max(count, op->microBatch + 1);
  return count;
}
} // namespace

std::uint64_t dpl::ir::microBatchesOf(const CustomSchedule& lists) {
  std::uint64_t count = 0;
  for (const std::string& list : lists.ranks)
    count = std::max(count, microBatchesIn(list));
  return count;
}

namespace {
bool recompute(const CustomSchedule& lists) {
  for (const std::string& list : lists.ranks)
    for (ActionReader reader(list); reader.more();)
      if (const auto op = reader.next(); op && op->kind == ActionKind::Recomputation)
        return true;
  return false;
}
} // namespace

std::vector<ScheduleProblem> dpl::ir::problemsOf(const CustomSchedule& lists, std::uint64_t chunks,
                                                 bool inAdvance) {
  const Placement placement = ::placementOf(lists, chunks);
  const bool recomputes = inAdvance && recompute(lists); // otherwise the first one is the error
  const auto firstOf = [&](std::uint64_t rank, std::uint64_t microBatches) {
    return ScheduleCheck(placement, rank, lists.ranks[rank], microBatches, inAdvance, recomputes)
        .first();
  };
  const std::uint64_t all = microBatchesOf(lists);
  std::vector<ScheduleProblem> problems;
  std::uint64_t sound = 0; // micro-batches of the schedules without other errors
  for (std::uint64_t rank = 0; rank < lists.ranks.size(); ++rank) {
    auto wrong = firstOf(rank, all);
    if (!wrong || wrong->kind == ScheduleProblem::ScheduleProblemKind::Missing)
      sound = std::max(sound, microBatchesIn(lists.ranks[rank]));
    if (wrong)
      problems.push_back(std::move(*wrong));
  }
  // A wrong number is an error of its schedule only; other schedules do not lack that micro-batch.
  if (sound < all)
    for (std::size_t i = problems.size(); i-- > 0;)
      if (problems[i].kind == ScheduleProblem::ScheduleProblemKind::Missing) {
        if (auto wrong = firstOf(problems[i].rank, sound))
          problems[i] = std::move(*wrong);
        else
          problems.erase(problems.begin() + static_cast<std::ptrdiff_t>(i));
      }
  // If one schedule has a micro-batch number that is too high, others seem to lack those below it.
  const auto lacks = [](const ScheduleProblem& p, bool knowsWhy) {
    return p.kind == ScheduleProblem::ScheduleProblemKind::Missing && p.other.empty() != knowsWhy;
  };
  if (llvm::any_of(problems, [&](const ScheduleProblem& p) { return lacks(p, true); }))
    llvm::erase_if(problems, [&](const ScheduleProblem& p) { return lacks(p, false); });
  return problems;
}

namespace {
ScheduledAction operationOf(const WrittenAction& op, const Placement& placement) {
  const std::uint64_t chunk = op.stage ? placement.locationOf(*op.stage).chunk : 0;
  return {op.kind, static_cast<std::uint16_t>(chunk), static_cast<std::uint32_t>(op.microBatch)};
}
} // namespace

std::optional<ScheduleTextRange> dpl::ir::textRangeOf(const CustomSchedule& lists,
                                                      std::uint64_t chunks, std::uint64_t rank,
                                                      const ScheduledAction& action) {
  const Placement placement = ::placementOf(lists, chunks);
  for (ActionReader reader(lists.ranks[rank]); reader.more();)
    if (const std::optional<WrittenAction> op = reader.next()) {
      const ScheduledAction found = operationOf(*op, placement);
      if (found.kind == action.kind && found.chunk == action.chunk &&
          found.microBatch == action.microBatch)
        return op->at;
    }
  return std::nullopt;
}

void dpl::ir::appendActions(const CustomSchedule& lists, std::uint64_t chunks, std::uint64_t rank,
                            std::vector<ScheduledAction>& out) {
  const Placement placement = ::placementOf(lists, chunks);
  for (ActionReader reader(lists.ranks[rank]); reader.more();)
    if (const std::optional<WrittenAction> op = reader.next())
      out.push_back(operationOf(*op, placement));
}

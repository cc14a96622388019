//===- SharedStorage.cpp - Runs that write checkpoints to the same storage --------------------===//
#include "simulate/engine/SharedStorage.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace dpl::simulate;

namespace {
constexpr double never = std::numeric_limits<double>::infinity();

/// A run as a sequence of events. The remaining work of writes is in seconds, if one run had the
/// storage alone.
class StorageRun {
public:
  enum class StorageEvent { Fails, IsWritten, Resumes };

  StorageRun(const SavedRun& run, double ahead, Draws& draws)
      : run(run), draws(draws), between(run.between, run.shape) {
    failure = between.draw(draws);
    begin(ahead);
  }

  bool isDone() const { return finished; }
  bool writes() const { return writing; }
  std::pair<double, StorageEvent> next(double now, double share) const {
    std::pair<double, StorageEvent> first{failure, StorageEvent::Fails};
    if (until < first.first)
      first = {until, StorageEvent::Resumes};
    if (writing && now + remaining / share < first.first)
      first = {now + remaining / share, StorageEvent::IsWritten};
    return first;
  }
  void elapse(double seconds, double share) {
    if (writing)
      remaining = std::max(0.0, remaining - seconds * share);
  }
  void happen(StorageEvent what, double now) {
    if (what == StorageEvent::Fails)
      fail(now);
    else if (what == StorageEvent::IsWritten)
      endWriting(now);
    else
      resume(now);
  }
  SharedTime out;

private:
  enum class StorageRunState { Works, Copies, WaitsForStorage, Restarts };

  void enter(StorageRunState what, double now, double seconds) {
    state = what, entered = now, until = now + seconds;
  }
  void begin(double ahead) {
    const double each = run.interval + run.blocked, at = std::fmod(ahead, each);
    if (run.written > ahead)
      write(-ahead, run.written - ahead);
    if (at < run.interval)
      return work(0, at);
    if (run.written > 0)
      return enter(StorageRunState::Copies, 0, each - at);
    enter(StorageRunState::WaitsForStorage, 0, never);
    write(0, each - at);
  }
  void work(double now, double ahead) {
    finished = done >= run.work;
    out.time.time = now;
    segment = std::min(run.interval, run.work - done) - ahead;
    enter(StorageRunState::Works, now, finished ? never : segment);
  }
  void write(double now, double seconds) { writing = true, remaining = seconds, since = now; }

  void resume(double now) {
    if (state == StorageRunState::Works) {
      done += segment;
      if (run.written > 0)
        return enter(StorageRunState::Copies, now, run.blocked);
      enter(StorageRunState::WaitsForStorage, now, never);
      copied = done;
      return write(now, run.blocked);
    }
    (state == StorageRunState::Copies ? out.time.saving : out.time.restarting) += now - entered;
    if (state == StorageRunState::Copies && !writing)
      copied = done, write(now, run.written);
    work(now, 0);
  }

  void endWriting(double now) {
    writing = false, safe = copied;
    ++out.written, out.writing += now - since;
    if (state != StorageRunState::WaitsForStorage)
      return;
    out.time.saving += now - entered;
    work(now, 0);
  }

  void fail(double now) {
    const double spent = now - entered;
    if (state == StorageRunState::Restarts)
      out.time.restarting += spent;
    else if (state != StorageRunState::Works)
      out.time.saving += spent;
    out.time.rework += done - safe + (state == StorageRunState::Works ? spent : 0);
    ++out.time.failures;
    done = safe, writing = false;
    failure = now + between.draw(draws);
    enter(StorageRunState::Restarts, now, run.restart);
  }

  const SavedRun& run;
  Draws& draws;
  FailureTimes between;
  StorageRunState state = StorageRunState::Works;
  double entered = 0, until = 0, failure, segment = 0, done = 0;
  double safe = 0, copied = 0; ///< work saved by the readable checkpoint, and by the checkpoint
                               ///< that is being written
  bool writing = false, finished = false;
  double remaining = 0, since = 0; ///< seconds that the current write still needs alone, as of time
                                   ///< `since`
};
} // namespace

ConcurrentRun dpl::simulate::anywhere(const SavedRun& run, Draws& draws) {
  // Writes of a run do not overlap, so checkpoints that are due during a write are skipped.
  const double each = run.interval + run.blocked;
  return {run, draws.uniform() * each * std::max(1.0, std::ceil(run.written / each))};
}

SharedTime dpl::simulate::draw(const SavedRun& run, llvm::ArrayRef<ConcurrentRun> overlap,
                               Draws& draws) {
  std::vector<SavedRun> endless;
  for (const ConcurrentRun& other : overlap)
    endless.push_back(other.run), endless.back().work = never;
  std::vector<StorageRun> jobs;
  jobs.emplace_back(run, 0, draws);
  for (std::size_t i = 0; i < overlap.size(); ++i)
    jobs.emplace_back(endless[i], overlap[i].ahead, draws);
  double now = 0;
  while (!jobs.front().isDone()) {
    const auto writers =
        std::count_if(jobs.begin(), jobs.end(), [](const StorageRun& job) { return job.writes(); });
    const double share = 1 / std::max(1.0, static_cast<double>(writers));
    StorageRun* first = nullptr;
    std::pair<double, StorageRun::StorageEvent> event{never, StorageRun::StorageEvent::Resumes};
    for (StorageRun& job : jobs)
      if (const auto its = job.next(now, share); its.first < event.first)
        event = its, first = &job;
    for (StorageRun& job : jobs)
      job.elapse(event.first - now, share);
    now = event.first;
    first->happen(event.second, now);
  }
  return jobs.front().out;
}

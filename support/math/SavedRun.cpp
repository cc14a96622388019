//===- SavedRun.cpp - A run with failures and checkpoints -------------------------------------===//
#include "support/math/SavedRun.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace dpl::simulate;

namespace {
constexpr double never = std::numeric_limits<double>::infinity();

class SavedRunDraw {
public:
  SavedRunDraw(const SavedRun& run, Draws& draws)
      : run(run), draws(draws), between(run.between, run.shape), failure(between.draw(draws)) {}

  RunTime toTheEnd() {
    while (done < run.work) {
      const double work = std::min(run.interval, run.work - done);
      const double time = run.rate.varies() ? run.rate.timeFor(work, now) : work;
      const double blocked = run.blockedBy(saved + 1);
      if (now + time + blocked <= failure)
        save(work, time, blocked);
      else
        fail(time);
    }
    out.time = now;
    return out;
  }

private:
  void save(double work, double time, double blocked) {
    now += time + blocked, done += work, out.saving += blocked, ++saved;
    out.slower += time - work;
    settle(now);
    if (run.written == 0)
      safe = done;
    else if (readable == never)
      readable = now + run.written, copied = done;
  }
  /// Makes a write that has ended by `time` readable.
  void settle(double time) {
    if (readable <= time)
      safe = copied, readable = never;
  }

  void fail(double time) {
    settle(failure);
    const double spent = std::min(failure - now, time);
    const double worked = run.rate.varies() ? run.rate.workIn(spent, now) : spent;
    out.slower += spent - worked;
    out.rework += done - safe + worked, out.saving += failure - now - spent;
    done = safe, readable = never;
    now = failure;
    do { // repeats until a restart has no failure
      const double began = now;
      ++out.failures;
      failure = now + between.draw(draws);
      now = std::min(failure, began + run.restartFrom(saved));
      out.restarting += now - began;
    } while (now == failure);
  }

  const SavedRun& run;
  Draws& draws;
  FailureTimes between;
  RunTime out;
  double now = 0, failure, done = 0, safe = 0;
  std::uint64_t saved = 0; ///< number of checkpoints, of which only blocking ones may not be full
  double readable = never, copied = 0; ///< end of the current write, and its work
};
} // namespace

RunTime dpl::simulate::draw(const SavedRun& run, Draws& draws) {
  return SavedRunDraw(run, draws).toTheEnd();
}

double dpl::simulate::youngInterval(double blocked, double between) {
  return std::sqrt(2 * blocked * between);
}

double dpl::simulate::dalyInterval(double blocked, double between) {
  const double x = blocked / (2 * between);
  return x < 1 ? youngInterval(blocked, between) * (1 + std::sqrt(x) / 3 + x / 9) - blocked
               : between;
}

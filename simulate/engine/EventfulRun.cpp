//===- EventfulRun.cpp - A run with node repair and fail-slow devices -------------------------===//
#include "simulate/engine/EventfulRun.h"
#include "support/math/Elementary.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace dpl::simulate;

namespace {
constexpr double never = std::numeric_limits<double>::infinity();

class EventfulRunDraw {
public:
  EventfulRunDraw(const EventfulRun& run, Draws& draws) : run(run), draws(draws) {
    nextFailure(), nextSlow();
  }

  RunTime toTheEnd() {
    while (safeAtEnd())
      advance();
    out.time = now;
    return out;
  }

private:
  enum class RunActivity { Work, Save, Restart, Wait };

  double after(double rate) const {
    return rate > 0 ? now - logarithm(draws.uniform()) / rate : never;
  }
  double running() const {
    return run.working.of(run.working.all() + run.spares - static_cast<double>(repairs.size()));
  }
  /// Draws the time of the next failure. Exponential times are memoryless, so it is drawn again
  /// when the rate changes.
  void nextFailure() {
    const double between = run.saved.between;
    failure = doing == RunActivity::Wait || std::isinf(between)
                  ? never
                  : after(running() / run.working.all() / between);
  }
  void nextSlow() {
    slowBegins = doing == RunActivity::Wait || found != never
                     ? never
                     : after(run.slow * running() / run.working.all());
  }
  bool safeAtEnd() const { return done < run.saved.work || doing != RunActivity::Work; }

  /// Work per second.
  double rate() const {
    return run.saved.rate.at(now) * running() / run.working.all() /
           (found != never ? run.slowdown : 1);
  }
  double segment() const { return std::min(run.saved.interval, run.saved.work - done); }
  double remainingWork() const {
    switch (doing) {
    case RunActivity::Work:
      return (segment() - worked) / rate();
    case RunActivity::Save:
      return run.saved.blockedBy(saved + 1) - spent;
    case RunActivity::Restart:
      return run.saved.restartFrom(saved) - spent;
    case RunActivity::Wait:
      break;
    }
    return never;
  }

  /// Advances to the next event, or to the end of the segment.
  void advance() {
    const double back = repairs.empty() ? never : *std::min_element(repairs.begin(), repairs.end());
    const double ends = now + remainingWork(), changes = run.saved.rate.changesAfter(now),
                 next = std::min({ends, failure, slowBegins, found, back, changes});
    elapse(next);
    if (next == changes)
      return;
    if (next == back)
      return comeBack();
    if (next == failure)
      return fail(draws.uniform() < run.nodeLossShare);
    if (next == found)
      found = never, fail(run.repair > 0);
    else if (next == slowBegins)
      found = now + run.found, slowBegins = never;
    else
      end();
  }
  void elapse(double until) {
    const double time = until - now, speed = rate();
    now = until;
    spent += time;
    if (doing == RunActivity::Work) {
      worked += std::min(time * speed, segment() - worked);
      out.slower += time * (1 - speed); // from times alone, so it is 0 at full rate
    } else {
      (doing == RunActivity::Save      ? out.saving
       : doing == RunActivity::Restart ? out.restarting
                                       : out.waiting) += time;
    }
  }
  void begin(RunActivity what) { doing = what, spent = 0; }
  void end() {
    if (doing == RunActivity::Work) {
      worked = segment(); // sets the exact value, without rounding errors
      return begin(RunActivity::Save);
    }
    if (doing == RunActivity::Save) {
      done += worked, worked = 0, ++saved;
      settle();
      if (run.saved.written == 0)
        safe = done;
      else if (readable == never)
        readable = now + run.saved.written, copied = done;
    }
    begin(RunActivity::Work);
  }
  void settle() {
    if (readable <= now)
      safe = copied, readable = never;
  }
  void fail(bool takesNode) {
    settle();
    ++out.failures;
    out.rework += done - safe + worked;
    done = safe, worked = 0, readable = never;
    if (takesNode && run.repair > 0)
      repairs.push_back(after(1 / run.repair));
    resume();
  }
  void comeBack() {
    repairs.erase(std::min_element(repairs.begin(), repairs.end()));
    if (doing == RunActivity::Wait)
      resume();
    else
      nextFailure(), nextSlow();
  }
  void resume() {
    begin(running() < 1 ? RunActivity::Wait : RunActivity::Restart);
    if (doing == RunActivity::Wait)
      found = never; // the run restarts on nodes that were checked, so no device is slow
    nextFailure(), nextSlow();
  }

  const EventfulRun& run;
  Draws& draws;
  RunTime out;
  RunActivity doing = RunActivity::Work;
  double now = 0, spent = 0, worked = 0, done = 0, safe = 0;
  std::uint64_t saved = 0;             ///< number of checkpoints
  double readable = never, copied = 0; ///< end of the current write, and its work
  double failure = never, slowBegins = never;
  double found = never;        ///< time at which the slow device is found; `never` if none is slow
  std::vector<double> repairs; ///< times at which removed nodes return
};
} // namespace

RunTime dpl::simulate::draw(const EventfulRun& run, Draws& draws) {
  return EventfulRunDraw(run, draws).toTheEnd();
}

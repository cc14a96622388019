//===- EventfulRun.cpp - A run whose nodes are away, and whose devices get slow ---------------===//
#include "simulate/engine/EventfulRun.h"
#include "support/math/Elementary.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace dpl::simulate;

namespace {
constexpr double never = std::numeric_limits<double>::infinity();

class Run {
public:
  Run(const EventfulRun& run, Draws& draws) : run(run), draws(draws) { nextFailure(), nextSlow(); }

  RunTime toTheEnd() {
    while (safeAtEnd())
      advance();
    out.time = now;
    return out;
  }

private:
  enum class Doing { Work, Save, Restart, Wait };

  double after(double rate) const {
    return rate > 0 ? now - logarithm(draws.uniform()) / rate : never;
  }
  double running() const {
    return std::min(run.nodes, run.nodes + run.spares - static_cast<double>(away.size()));
  }
  /// Exponential times forget: drawn again whenever the rate changes, they are of the same process.
  void nextFailure() {
    const double between = run.saved.between;
    failure = doing == Doing::Wait || std::isinf(between) ? never
                                                          : after(running() / run.nodes / between);
  }
  void nextSlow() {
    slowBegins =
        doing == Doing::Wait || found != never ? never : after(run.slow * running() / run.nodes);
  }
  bool safeAtEnd() const { return done < run.saved.work || doing != Doing::Work; }

  /// Of work a second.
  double rate() const { return running() / run.nodes / (found != never ? run.slowdown : 1); }
  double segment() const { return std::min(run.saved.interval, run.saved.work - done); }
  double left() const {
    switch (doing) {
    case Doing::Work:
      return (segment() - worked) / rate();
    case Doing::Save:
      return run.saved.blocked - spent;
    case Doing::Restart:
      return run.saved.restart - spent;
    case Doing::Wait:
      break;
    }
    return never;
  }

  /// To whatever happens next.
  void advance() {
    const double back = away.empty() ? never : *std::min_element(away.begin(), away.end());
    const double ends = now + left(), next = std::min({ends, failure, slowBegins, found, back});
    pass(next);
    if (next == back)
      return comeBack();
    if (next == failure)
      return fail(draws.uniform() < run.takes);
    if (next == found)
      found = never, fail(run.repair > 0);
    else if (next == slowBegins)
      found = now + run.found, slowBegins = never;
    else
      end();
  }
  void pass(double until) {
    const double time = until - now;
    now = until;
    spent += time;
    if (doing == Doing::Work) {
      worked += std::min(time * rate(), segment() - worked);
      out.slower += time * (1 - rate()); // of time alone: nothing is left where all work
    } else {
      (doing == Doing::Save      ? out.saving
       : doing == Doing::Restart ? out.restarting
                                 : out.waiting) += time;
    }
  }
  void begin(Doing what) { doing = what, spent = 0; }
  void end() {
    if (doing == Doing::Work) {
      worked = segment(); // whatever rounding left
      return begin(Doing::Save);
    }
    if (doing == Doing::Save) {
      done += worked, worked = 0;
      settle();
      if (run.saved.written == 0)
        safe = done;
      else if (readable == never)
        readable = now + run.saved.written, copied = done;
    }
    begin(Doing::Work);
  }
  void settle() {
    if (readable <= now)
      safe = copied, readable = never;
  }
  void fail(bool takesNode) {
    settle();
    ++out.failures;
    out.again += done - safe + worked;
    done = safe, worked = 0, readable = never;
    if (takesNode && run.repair > 0)
      away.push_back(after(1 / run.repair));
    goOn();
  }
  void comeBack() {
    away.erase(std::min_element(away.begin(), away.end()));
    if (doing == Doing::Wait)
      goOn();
    else
      nextFailure(), nextSlow();
  }
  void goOn() {
    begin(running() < run.least || running() < 1 ? Doing::Wait : Doing::Restart);
    if (doing == Doing::Wait)
      found = never; // it begins again on nodes that were looked at
    nextFailure(), nextSlow();
  }

  const EventfulRun& run;
  Draws& draws;
  RunTime out;
  Doing doing = Doing::Work;
  double now = 0, spent = 0, worked = 0, done = 0, safe = 0;
  double readable = never, copied = 0; ///< when the copy is that is being written, and of what
  double failure = never, slowBegins = never;
  double found = never;     ///< when the slow device is, while there is one
  std::vector<double> away; ///< when each node comes back
};
} // namespace

RunTime dpl::simulate::draw(const EventfulRun& run, Draws& draws) {
  return Run(run, draws).toTheEnd();
}

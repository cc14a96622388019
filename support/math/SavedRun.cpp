//===- SavedRun.cpp - A run with failures and checkpoints -------------------------------------===//
#include "support/math/SavedRun.h"
#include "support/math/Elementary.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace dpl::simulate;

namespace {
constexpr double never = std::numeric_limits<double>::infinity();

class SavedRunDraw {
public:
  SavedRunDraw(const SavedRun& run, Draws& draws) : run(run), draws(draws), failure(next()) {}

  RunTime toTheEnd() {
    while (done < run.work) {
      const double work = std::min(run.interval, run.work - done);
      if (now + work + run.blocked <= failure)
        save(work);
      else
        fail(work);
    }
    out.time = now;
    return out;
  }

private:
  double next() const {
    return std::isinf(run.between) ? never : -run.between * logarithm(draws.uniform());
  }

  void save(double work) {
    now += work + run.blocked, done += work, out.saving += run.blocked;
    settle(now);
    if (run.written == 0)
      safe = done;
    else if (readable == never)
      readable = now + run.written, copied = done;
  }
  /// Makes a write that ends by then readable.
  void settle(double time) {
    if (readable <= time)
      safe = copied, readable = never;
  }

  void fail(double work) {
    settle(failure);
    const double worked = std::min(failure - now, work);
    out.rework += done - safe + worked, out.saving += failure - now - worked;
    done = safe, readable = never;
    now = failure;
    do { // until a restart without a failure
      const double began = now;
      ++out.failures;
      failure = now + next();
      now = std::min(failure, began + run.restart);
      out.restarting += now - began;
    } while (now == failure);
  }

  const SavedRun& run;
  Draws& draws;
  RunTime out;
  double now = 0, failure, done = 0, safe = 0;
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

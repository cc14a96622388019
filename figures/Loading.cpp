//===- Loading.cpp - What brings the samples of a step to the data ranks ----------------------===//
#include "figures/Loading.h"
#include "figures/Rows.h"

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
const ir::Loading* loadingIn(const ir::Plan& plan) {
  return plan.cluster.loading.empty() ? nullptr : &plan.cluster.loading.front();
}
/// What loading takes, of numbers and of figures.
template <class T> T prepared(T samples, T time, T workers, T devices) {
  return samples * time / (workers * devices);
}
template <class T> T read(T samples, T bytes, T storage) { return samples * bytes / storage; }

Traced samplesOf(const Facts& f) { return f(f.list ? "samples_per_step" : "sequences_per_step"); }
} // namespace

StepLoading figures::loadingOf(const ir::Plan& plan) {
  const ir::Loading* loading = loadingIn(plan);
  if (!loading)
    return {};
  const double samples = real(plan.layout.batch);
  StepLoading out;
  out.prepared = prepared(samples, ir::toSeconds(loading->time), loading->workers,
                          real(plan.cluster.devices()));
  if (loading->bytes > 0)
    out.read = read(samples, real(loading->bytes), real(plan.cluster.storageRead) / 8);
  return out;
}

Traced figures::loadingTime(const Facts& f) {
  const ir::Loading* loading = loadingIn(f.plan);
  return loading ? f.declared(ir::toSeconds(loading->time), "cluster.loading.time") : Facts::none();
}

Traced figures::loadingWorkers(const Facts& f) {
  const ir::Loading* loading = loadingIn(f.plan);
  return loading ? f.declared(loading->workers, "cluster.loading.workers") : Facts::none();
}

Traced figures::loadingBytes(const Facts& f) {
  const ir::Loading* loading = loadingIn(f.plan);
  return loading && loading->bytes > 0 ? f.declared(real(loading->bytes), "cluster.loading.bytes")
                                       : Facts::none();
}

Traced figures::loadingStorage(const Facts& f) {
  return f("loading.bytes").has() ? f.declared(real(f.cluster.storageRead) / 8, "cluster.storage")
                                  : Facts::none();
}

Traced figures::loadingPrepared(const Facts& f) {
  const ir::Loading* loading = loadingIn(f.plan);
  if (!loading)
    return Facts::none();
  return prepared(samplesOf(f), f("loading.time"), f("loading.workers"), f("cluster.devices"));
}

Traced figures::loadingRead(const Facts& f) {
  const ir::Loading* loading = loadingIn(f.plan);
  if (!loading || loading->bytes == 0)
    return Facts::none();
  return read(samplesOf(f), f("loading.bytes"), f("loading.storage"));
}

Traced figures::loadingStep(const Facts& f) {
  const Traced preparing = f("loading.prepared"), reading = f("loading.read");
  return reading.has() ? max(preparing, reading) : preparing.has() ? 1 * preparing : preparing;
}

Traced figures::loadingWait(const Facts& f) {
  const Traced all = f("loading.step"), jitter = f("time.jitter");
  if (!all.has())
    return Facts::none();
  return max(0, jitter.has() ? all - f("time.schedule") - jitter : all - f("time.schedule"));
}

//===- LoadingRows.cpp - Figures of what brings the samples of a step to the data ranks -------===//
#include "cost/step/Loading.h"
#include "figures/Rows.h"

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
Traced samplesOf(const Facts& f) { return f(f.list ? "samples_per_step" : "sequences_per_step"); }
} // namespace

Traced figures::loadingTime(const Facts& f) {
  const ir::Loading* loading = cost::loadingIn(f.plan);
  return loading ? f.declared(ir::toSeconds(loading->time), "cluster.data_loading.sample_time")
                 : Facts::none();
}

Traced figures::loadingWorkers(const Facts& f) {
  const ir::Loading* loading = cost::loadingIn(f.plan);
  return loading ? f.declared(loading->workers, "cluster.data_loading.workers") : Facts::none();
}

Traced figures::loadingBytes(const Facts& f) {
  const ir::Loading* loading = cost::loadingIn(f.plan);
  return loading && loading->bytes > 0
             ? f.declared(real(loading->bytes), "cluster.data_loading.sample_bytes")
             : Facts::none();
}

Traced figures::loadingStorage(const Facts& f) {
  return f("data_loading.sample_bytes").has()
             ? f.declared(real(f.cluster.storageRead) / 8, "cluster.storage")
             : Facts::none();
}

Traced figures::loadingPrepared(const Facts& f) {
  const ir::Loading* loading = cost::loadingIn(f.plan);
  if (!loading)
    return Facts::none();
  return cost::preparedTime(samplesOf(f), f("data_loading.sample_time"), f("data_loading.workers"),
                            f("cluster.devices"));
}

Traced figures::loadingRead(const Facts& f) {
  const ir::Loading* loading = cost::loadingIn(f.plan);
  if (!loading || loading->bytes == 0)
    return Facts::none();
  return cost::readTime(samplesOf(f), f("data_loading.sample_bytes"),
                        f("data_loading.storage_bandwidth"));
}

Traced figures::loadingStep(const Facts& f) {
  const Traced preparing = f("data_loading.prepare_time"), reading = f("data_loading.read_time");
  return reading.has() ? max(preparing, reading) : preparing.has() ? 1 * preparing : preparing;
}

Traced figures::loadingWait(const Facts& f) {
  const Traced all = f("data_loading.step_time"), jitter = f("time.jitter");
  if (!all.has())
    return Facts::none();
  return max(0, jitter.has() ? all - f("time.schedule") - jitter : all - f("time.schedule"));
}

//===- LoadingRows.cpp - Figures of data loading ----------------------------------------------===//
#include "cost/step/Loading.h"
#include "figures/Rows.h"

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
Traced samplesOf(const FigureContext& f) {
  return f(f.isLayerList ? "samples_per_step" : "sequences_per_step");
}
} // namespace

Traced figures::loadingTime(const FigureContext& f) {
  const ir::Loading* loading = cost::loadingIn(f.plan);
  return loading ? f.declared(ir::toSeconds(loading->time), "cluster.data_loading.sample_time")
                 : FigureContext::none();
}

Traced figures::loadingWorkers(const FigureContext& f) {
  const ir::Loading* loading = cost::loadingIn(f.plan);
  return loading ? f.declared(loading->workers, "cluster.data_loading.workers")
                 : FigureContext::none();
}

Traced figures::loadingBytes(const FigureContext& f) {
  const ir::Loading* loading = cost::loadingIn(f.plan);
  return loading && loading->bytes > 0
             ? f.declared(real(loading->bytes), "cluster.data_loading.sample_bytes")
             : FigureContext::none();
}

Traced figures::loadingStorage(const FigureContext& f) {
  return f("data_loading.sample_bytes").has()
             ? f.declared(real(f.cluster.storageRead) / 8, "cluster.storage")
             : FigureContext::none();
}

Traced figures::loadingPrepared(const FigureContext& f) {
  const ir::Loading* loading = cost::loadingIn(f.plan);
  if (!loading)
    return FigureContext::none();
  return cost::preparedTime(samplesOf(f), f("data_loading.sample_time"), f("data_loading.workers"),
                            f("cluster.devices"));
}

Traced figures::loadingRead(const FigureContext& f) {
  const ir::Loading* loading = cost::loadingIn(f.plan);
  if (!loading || loading->bytes == 0)
    return FigureContext::none();
  return cost::readTime(samplesOf(f), f("data_loading.sample_bytes"),
                        f("data_loading.storage_bandwidth"));
}

Traced figures::loadingStep(const FigureContext& f) {
  const Traced preparing = f("data_loading.prepare_time"), reading = f("data_loading.read_time");
  return reading.has() ? max(preparing, reading) : preparing.has() ? 1 * preparing : preparing;
}

Traced figures::loadingWait(const FigureContext& f) {
  const Traced all = f("data_loading.step_time"), jitter = f("time.jitter");
  if (!all.has())
    return FigureContext::none();
  return max(0, jitter.has() ? all - f("time.schedule") - jitter : all - f("time.schedule"));
}

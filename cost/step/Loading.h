#pragma once
//===- Loading.h - What brings the samples of a step to the data ranks ------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Of the samples of a step, where nothing varies; all data ranks have as many.
struct LoadingTimes {
  double prepared = 0; ///< seconds that the workers of a data rank take for its samples
  double read = 0;     ///< seconds that all samples take from the storage
  double step() const { return prepared > read ? prepared : read; }
};
/// Null where the cluster has no `data_loading`.
const ir::Loading* loadingIn(const ir::Plan& plan);
/// The two times of a step, of numbers and of figures.
template <class T> T preparedTime(T samples, T time, T workers, T devices) {
  return samples * time / (workers * devices);
}
template <class T> T readTime(T samples, T bytes, T storage) { return samples * bytes / storage; }
/// Nothing takes time where the cluster has no `data_loading`. Relies on: a resolved mesh.
LoadingTimes loadingOf(const ir::Plan& plan);

} // namespace dpl::cost

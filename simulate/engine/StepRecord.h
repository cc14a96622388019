#pragma once
//===- StepRecord.h - When each worker read, updated and was through --------------------------===//
#include "simulate/engine/Workers.h"

namespace dpl::simulate {

/// Times in ps, of workers that meet no barrier.
struct StepRecord {
  std::uint32_t workers, steps;
  std::uint64_t apart;
  std::vector<double> read, updated; ///< by step and worker: its step begins, its update is there
  std::vector<double> ended;         ///< and its exchange has ended
  std::vector<double> slowest;       ///< by step: all have ended it
  std::vector<double> waited;        ///< by worker: for others
  std::uint32_t heldUp;              ///< the first step in which one of them waited, or `steps`

  explicit StepRecord(const Workers& of);
  std::size_t at(std::uint32_t step, std::uint32_t worker) const {
    return std::size_t{step} * workers + worker;
  }
  void waits(std::uint32_t step, std::uint32_t worker, double time);
  WorkersTime summary() const;

private:
  double pace(std::uint32_t first, std::uint32_t last) const;
  std::vector<double> timesOfAll(std::uint32_t from) const;
  std::vector<double> ages() const;
};

} // namespace dpl::simulate

#pragma once
//===- StepRecord.h - The times of each worker's reads, updates and steps ---------------------===//
#include "simulate/engine/Workers.h"

namespace dpl::simulate {

/// Times in ps of workers without barriers.
struct StepRecord {
  std::uint32_t workers, steps;
  std::uint64_t apart;
  std::vector<double> read, updated; ///< by step and worker: times at which it reads the
                                     ///< parameters, and at which its update reaches them
  std::vector<double> ended;         ///< by step and worker: end of the exchange
  std::vector<double> slowest;       ///< by step: when all workers have ended it
  std::vector<double> waited;        ///< by worker: time waited for others
  std::uint32_t heldUp;              ///< first step in which a worker waited, or `steps` if none
                                     ///< did
  bool keepsUpdates;

  explicit StepRecord(const Workers& of);
  std::size_t at(std::uint32_t step, std::uint32_t worker) const {
    return std::size_t{step} * workers + worker;
  }
  void waits(std::uint32_t step, std::uint32_t worker, double time);
  WorkersTime summary() const;

private:
  double pace(std::uint32_t first, std::uint32_t last) const;
  std::vector<double> timesOfAll(std::uint32_t from) const;
  std::vector<Update> updates() const;
};

} // namespace dpl::simulate

#pragma once
//===- JobProcess.h - The process that does one job -------------------------------------------===//
//
// Each job runs in a copy of the server that ends with it. A job can therefore be cancelled at any
// instruction, cannot use more memory or time than it may, and leaves nothing in the server.
#include "tools/dplc/serve/Protocol.h"
#include <chrono>
#include <sys/types.h>

namespace dpl::tool {

class JobProcess {
public:
  using Clock = std::chrono::steady_clock;
  /// Starts the process; empty if the system cannot.
  static std::unique_ptr<JobProcess> start(Job job, const Protocol& protocol);
  ~JobProcess(); ///< ends the process and what it started
  JobProcess(const JobProcess&) = delete;
  JobProcess& operator=(const JobProcess&) = delete;

  const Job& job() const { return ordered; }
  int descriptor() const { return from; }
  std::optional<Clock::time_point> deadline() const { return end; }
  /// Reads what the process has written, and hands its messages for the client to `send`. False
  /// once it has ended.
  bool read(const std::function<void(std::string)>& send);
  /// The reply if the process ended without one.
  std::string replyOfEnded();
  bool replied() const { return answered; }

private:
  JobProcess(Job job, pid_t pid, int from);
  Job ordered;
  pid_t pid;
  int from;
  std::optional<Clock::time_point> end;
  FrameReader frames{Framing::Headers, std::size_t{1} << 32};
  bool answered = false;
};

/// The reply to a job that needed more time than it may.
std::string timeoutReply(const Job& job);

} // namespace dpl::tool

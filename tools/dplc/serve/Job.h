#pragma once
//===- Job.h - A request that a process of its own answers ------------------------------------===//
#include "support/Progress.h"
#include "tools/dplc/Answer.h"
#include <map>
#include <memory>
#include <optional>

namespace dpl::tool {

/// Texts that a client has opened, by path.
using Texts = std::map<std::string, std::shared_ptr<const std::string>>;

/// What a request may use; empty: as much as it needs.
struct JobLimits {
  std::optional<double> seconds = 5;
  std::optional<std::uint64_t> bytes = 1'000'000'000; ///< memory of the process
};

struct Job {
  Json id;            ///< of the request
  std::string name;   ///< method or tool, for messages
  std::string folder; ///< folder of relative paths; empty: that of the server
  Texts texts;        ///< open when the request came
  JobLimits limits;
  Json progressToken; ///< null: no progress is sent
  /// Answers in the process of the job.
  std::function<void(Answer& answer, const Progress::Listener& progress)> work;
  /// Takes the reply in place of the client, if the server itself ordered the job. A failed job has
  /// an error as its reply, and an empty text if it could not start. It is not called for a
  /// cancelled job.
  std::function<void(const std::string& reply)> finish = {};
};

} // namespace dpl::tool

#pragma once
//===- Server.h - The loop of a resident dplc -------------------------------------------------===//
//
// One thread reads requests from standard input, starts a process for each job, and writes the
// replies to standard output. It never waits for a job or for the client.
#include "tools/dplc/serve/JobProcess.h"
#include "llvm/ADT/ArrayRef.h"
#include <deque>

namespace dpl::tool {

class Server {
public:
  explicit Server(Protocol& protocol) : protocol(protocol), input(protocol.framing()) {}
  /// Serves until the input ends and its requests are answered, until nobody reads the output, or
  /// until a protocol calls `stop`. Returns the exit code.
  int run();

  void send(std::string message);
  /// Does the job, now or after others. Its id must be that of no job that has not finished.
  void submit(Job job);
  bool isBusyWith(const Json& id) const;
  /// Ends the job and `answers` that it was cancelled. A job that is not known has finished.
  void cancel(const Json& id, bool answers = true);
  void stop(int code) { ended = true, exitCode = code; }

private:
  void deliver(const Job& job, std::string reply);
  void receiveAll();
  void receive(const std::string& text);
  bool readInput();
  void endInput();
  bool writeOutput();
  void startWaiting();
  void readJobs(llvm::ArrayRef<short> events);
  void endLateJobs();
  int pause() const;

  Protocol& protocol;
  FrameReader input;
  std::string output;
  std::size_t written = 0; ///< bytes of `output` that are written
  std::deque<Job> waiting;
  std::vector<std::unique_ptr<JobProcess>> running;
  /// Replies to jobs of the server itself. They are handed over once no list of jobs is in use.
  std::vector<std::pair<std::function<void(const std::string&)>, std::string>> replies;
  bool workLeft = false; ///< whether the protocol has put off work
  bool inputEnded = false;
  bool ended = false;
  int exitCode = 0;
};

} // namespace dpl::tool

#pragma once
//===- Protocol.h - What clients and the server say to each other -----------------------------===//
#include "support/MessageFrames.h"
#include "tools/dplc/serve/Job.h"

namespace dpl::tool {
class Server;

/// Error codes of JSON-RPC 2.0 and, below -32800, of the Language Server Protocol.
enum class RpcError : int {
  NotJson = -32700,
  InvalidRequest = -32600,
  UnknownMethod = -32601,
  InvalidParams = -32602,
  Internal = -32603,
  Cancelled = -32800,
  Failed = -32803,
};

/// A request, or a notification if it has no id.
struct Request {
  std::string method;
  std::optional<Json> id;
  Json params;
};

/// A reply in JSON-RPC 2.0.
std::string resultText(const Json& id, Json result);
std::string errorText(const Json& id, RpcError code, std::string message, Json data = {});
std::string notificationText(const std::string& method, Json params);
/// A request to the client; without parameters if they are null.
std::string requestText(const Json& id, const std::string& method, Json params = {});

/// The methods of a server. The loop, the processes and the framing are those of `Server`.
class Protocol {
public:
  virtual ~Protocol() = default;
  virtual Framing framing() const = 0;
  /// Answers a request, or submits a job that does.
  virtual void receive(Server& server, const Request& request) = 0;
  /// The reply to a job that has finished.
  virtual std::string replyTo(const Job& job, const Answer& answer) const = 0;
  /// Does a part of what `receive` put off, once all input so far is read; whether more is left.
  virtual bool work(Server&) { return false; }
  /// Whether too many requests wait to read more before `work` has done some.
  virtual bool isFull() const { return false; }
  /// Whether jobs that run when the input ends are still finished, because requests wait for them.
  virtual bool finishesJobs() const { return true; }
  /// The exit code if the input ends without a request to stop.
  virtual int codeAtEnd() const { return 0; }
  /// A notification of how much of a job is done.
  virtual std::string progressOf(const Job& job, std::uint64_t done, std::uint64_t all,
                                 const std::string& unit, const std::string& note) const = 0;
};

} // namespace dpl::tool

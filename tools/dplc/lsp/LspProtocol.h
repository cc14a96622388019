#pragma once
//===- LspProtocol.h - The language server ----------------------------------------------------===//
//
// Messages are handled in order, one at a time, after all input was read; a request can therefore
// be cancelled while it waits. A changed text is checked when a request needs it, or when no
// message waits, so that several changes are checked once.
#include "tools/dplc/lsp/Messages.h"
#include "tools/dplc/serve/Server.h"
#include <deque>
#include <set>

namespace dpl::tool {

/// docs/reference/lsp.md describes the methods.
class LspProtocol : public Protocol {
public:
  Framing framing() const override { return Framing::Headers; }
  void receive(Server& server, const Request& request) override;
  bool work(Server& server) override;
  bool isFull() const override { return waiting.size() >= 1000; }
  bool finishesJobs() const override { return false; } // searches, whose plans nobody would see
  int codeAtEnd() const override { return shutDown ? 0 : 1; }
  std::string replyTo(const Job& job, const Answer& answer) const override;
  std::string progressOf(const Job& job, std::uint64_t done, std::uint64_t all,
                         const std::string& unit, const std::string& note) const override;

private:
  void handle(Server& server, const Request& request);
  void initialize(Server& server, const Request& request);
  void open(const Json& params);
  void change(const Json& params);
  void close(Server& server, const Json& params);
  void filesChanged();
  void watchFiles(Server& server);
  void changeFolders(const Json& event);
  /// Sends a request to the client, whose reply is not needed.
  void request(Server& server, const std::string& method, Json params = {});
  /// Checks the document if its text has changed.
  void check(Server& server, OpenDocument& document);
  void judgeApart(Server& server);
  void finish(const SlowPlan& plan, const std::string& reply);
  void publish(Server& server, OpenDocument& document);
  void publish(Server& server, const std::string& path, const OpenDocument* document);

  std::deque<Request> waiting;
  Documents documents;
  ClientFeatures client;
  /// The messages of each open document, by the path of the file that shows them.
  std::map<std::string, std::map<std::string, std::vector<Json>>> messages;
  std::set<std::string> shown;   ///< files without an open document that have messages
  std::set<std::uint64_t> apart; ///< keys of plans that other processes judge
  std::uint64_t requests = 0;    ///< that the server has sent
  bool refreshes = false;        ///< whether hints changed without a change of a text
  bool started = false, shutDown = false;
};

} // namespace dpl::tool

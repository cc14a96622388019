#pragma once
//===- McpProtocol.h - The tools of `dplc mcp` for agents -------------------------------------===//
#include "tools/dplc/serve/Server.h"

namespace dpl::tool {

/// The Model Context Protocol over standard input and output. docs/reference/agents.md describes
/// the tools. Their results are the screens of the commands.
class McpProtocol : public Protocol {
public:
  Framing framing() const override { return Framing::Lines; }
  void receive(Server& server, const Request& request) override;
  std::string replyTo(const Job& job, const Answer& answer) const override;
  std::string progressOf(const Job& job, std::uint64_t done, std::uint64_t all,
                         const std::string& unit, const std::string& note) const override;

private:
  void call(Server& server, const Request& request);
};

} // namespace dpl::tool

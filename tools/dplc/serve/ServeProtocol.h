#pragma once
//===- ServeProtocol.h - The methods of `dplc serve` ------------------------------------------===//
#include "tools/dplc/serve/Server.h"

namespace dpl::tool {

/// docs/reference/serve.md describes the methods.
class ServeProtocol : public Protocol {
public:
  Framing framing() const override { return Framing::Headers; }
  void receive(Server& server, const Request& request) override;
  std::string replyTo(const Job& job, const Answer& answer) const override;
  std::string progressOf(const Job& job, std::uint64_t done, std::uint64_t all,
                         const std::string& unit, const std::string& note) const override;

private:
  void changeText(Server& server, const Request& request);
  void submit(Server& server, const Request& request);
  Texts texts; ///< by absolute path
};

} // namespace dpl::tool

//===- Checks.cpp - Fills the send buffers of a rank and checks its results -------------------===//
#include "Runner.h"

namespace twin {

void Runner::fill(const Part& part, const Pattern& pattern, Word* to) {
  host.resize(part.input());
  for (std::uint64_t i = 0; i < host.size(); ++i)
    host[i] = pattern.at(transport.rank(), i);
  transport.write(to, host.data(), host.size());
}

void Runner::verify(const Call& call, const Part& part, const Pattern& pattern,
                    const Membership& m) {
  const Group& group = plan.groups[call.group];
  std::vector<std::uint64_t> members(group.size);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < group.size; ++i)
    sum += members[i] = memberOf(plan, group, m.base, i);
  host.resize(part.output());
  transport.read(host.data(), output[static_cast<std::size_t>(call.stream)], host.size());
  for (std::uint64_t i = 0; i < host.size(); ++i) {
    const Word needed =
        expected(part, pattern, sum, i, [&](std::uint64_t member) { return members[member]; });
    if (host[i] != needed)
      fail(1, std::string(nameOf(call.kind)) + " " + call.purpose + " over " + group.name + " in " +
                  describe(operations[now]) + ": word " + std::to_string(i) + " is " +
                  std::to_string(host[i]) + ", needed " + std::to_string(needed));
  }
  ++checkedResults;
}

void Runner::fillMessage(bool forward, std::uint64_t chunk, std::uint64_t microBatch) {
  const MessagePattern pattern({transport.rank(), steps, forward, chunk, microBatch});
  host.resize(messageWords);
  for (std::uint64_t i = 0; i < messageWords; ++i)
    host[i] = pattern.at(i);
}

void Runner::verifyMessage(const Operation& op, bool forward) {
  const MessagePattern pattern({peerOf(op), steps, forward, op.chunk, op.microBatch});
  host.resize(messageWords);
  transport.read(host.data(), incoming, messageWords);
  for (std::uint64_t i = 0; i < messageWords; ++i)
    if (host[i] != pattern.at(i))
      fail(1, describe(op) + ": the message's " + MessagePattern::nameOf(i) + " is " +
                  std::to_string(host[i]) + ", needed " + std::to_string(pattern.at(i)));
  ++checkedMessages;
}

} // namespace twin

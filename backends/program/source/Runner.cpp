//===- Runner.cpp - Executes the operations of one rank ---------------------------------------===//
#include "Runner.h"
#include <algorithm>
#include <cstdio>
#include <thread>

namespace twin {
namespace {
using Clock = std::chrono::steady_clock;
double since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}
bool isMessage(OperationKind kind) {
  return kind >= OperationKind::SendForward && kind <= OperationKind::ReceiveBackward;
}
} // namespace

Runner::Runner(const Plan& plan, Transport& transport, const Options& options)
    : plan(plan), transport(transport), options(options), links(plan, transport),
      me(pipelineRankOf(plan, transport.rank())), operations(operationsOf(plan, me)),
      timesOfOperations(operations.size()), serials(plan.groups.size, 0),
      computed(2 * plan.chunksPerRank * plan.microBatches),
      received(2 * plan.chunksPerRank * plan.microBatches),
      recomputed(plan.chunksPerRank * plan.microBatches) {
  // A message has room for its header and for some words of the pattern.
  messageWords = std::max<std::uint64_t>(16, wordsOf(plan.messageBytes, 1));
  std::uint64_t largest[streams] = {1, 1, 1, 1};
  for (const Call& call : plan.calls) {
    std::uint64_t& most = largest[static_cast<std::size_t>(call.stream)];
    most = std::max(most, wordsOf(call.bytes, plan.groups[call.group].size));
  }
  for (std::size_t i = 0; i < streams; ++i) {
    input[i] = transport.allocate(largest[i]);
    output[i] = transport.allocate(largest[i]);
  }
  incoming = transport.allocate(messageWords);
  connectLinks();
}

std::uint64_t Runner::wordsOf(std::uint64_t bytes, std::uint64_t multiple) const {
  const auto words = static_cast<std::uint64_t>(static_cast<double>(bytes) * options.scale / 4);
  return std::max<std::uint64_t>(1, (words + multiple - 1) / multiple) * multiple;
}

/// Sends a first message on each link, which opens its connection. Both ranks wait for it. Each
/// rank uses one link at a time, in an order that all ranks share.
void Runner::connectLinks() {
  for (const bool up : {true, false})
    for (const bool forward : {true, false})
      for (const bool even : {true, false}) {
        const bool sends = (me % 2 == 0) == even;
        const int link = sends ? links.out(up, forward) : links.in(up, forward);
        if (link == Transport::none)
          continue;
        await(sends ? transport.send(link, 1, input[0], 1)
                    : transport.receive(link, 0, incoming, 1),
              [&] { return std::string("the first message of a link"); });
      }
}

void Runner::fail(int status, const std::string& message) {
  std::fprintf(stderr, "%s: %s\n", nameOf(plan, transport.rank()).c_str(), message.c_str());
  std::fflush(stderr);
  // Leaves time for the other ranks to report for what they wait.
  if (status == 3)
    std::this_thread::sleep_for(std::chrono::seconds(1));
  transport.abort(status);
}

template <class What> void Runner::await(int pending, const What& what) {
  const Clock::time_point began = Clock::now();
  while (!transport.done(pending)) {
    const double waited = since(began);
    if (waited > options.timeout) {
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%g", options.timeout);
      fail(3, std::string("waited ") + seconds + " s for " + what());
    }
    if (waited < 200e-6)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

std::string Runner::describe(const Operation& op, std::size_t index) const {
  std::string out = "operation " + std::to_string(index) + " of pipeline rank " +
                    std::to_string(me) + ", " + nameOf(op.kind);
  if (op.kind == OperationKind::Collective)
    return out + " " + plan.calls[op.other].purpose;
  if (op.kind < OperationKind::Collective)
    out +=
        " of micro-batch " + std::to_string(op.microBatch) + ", chunk " + std::to_string(op.chunk);
  if (isMessage(op.kind))
    out += op.kind >= OperationKind::ReceiveForward ? " from " : " to ";
  return isMessage(op.kind) ? out + nameOf(plan, peerOf(op)) : out;
}

void Runner::meet(const char* before) {
  Part all{CallKind::AllReduce, transport.size(), transport.rank(), 1};
  await(transport.call(Transport::world, all, input[0], output[0], Stream::Tensor),
        [&] { return std::string("all ranks, before ") + before; });
}

void Runner::step(Mode mode) {
  checking = mode == Mode::Check;
  ++steps;
  ran.assign(4 * plan.chunksPerRank, 0);
  std::fill(recomputed.begin(), recomputed.end(), 0);
  std::fill(computed.begin(), computed.end(), 0);
  std::fill(received.begin(), received.end(), 0);
  if (plan.barrier)
    meet("the step");
  const Clock::time_point began = Clock::now();
  for (now = 0; now < operations.size(); ++now) {
    const double start = since(began);
    run(operations[now]);
    if (mode == Mode::Time)
      timesOfOperations.add(now, start, since(began) - start);
  }
  collect(true);
  if (mode == Mode::Time)
    timesOfOperations.addStep(since(began));
}

void Runner::run(const Operation& op) {
  collect(false);
  switch (op.kind) {
  case OperationKind::Forward:
    return pass(op, false);
  case OperationKind::Pair:
    return pair(op, operations[now + 1]);
  case OperationKind::Backward:
    if (now > 0 && operations[now - 1].kind == OperationKind::Pair)
      return; // the preceding Pair has run it
    [[fallthrough]];
  case OperationKind::BackwardInput:
    return pass(op, true);
  case OperationKind::BackwardWeight:
    need(mark(computed, false, op.chunk, op.microBatch) != 0,
         describe(op) + " comes before the backward of its input");
    return body(turnOf(op), chunkOf(op).weights);
  case OperationKind::Recomputation:
    return recompute(op);
  case OperationKind::SendForward:
  case OperationKind::SendBackward:
    return send(op, op.kind == OperationKind::SendForward);
  case OperationKind::ReceiveForward:
  case OperationKind::ReceiveBackward:
    return receive(op, op.kind == OperationKind::ReceiveForward);
  case OperationKind::Collective:
    for (std::uint64_t i = 0; i < plan.calls[op.other].count; ++i)
      collective(op.other, true);
    return;
  case OperationKind::Wait:
    for (std::size_t chunk = 0; chunk < plan.chunksPerRank; ++chunk)
      need(ran[4 * chunk + 2] == plan.chunkMicroBatches,
           describe(op) + " comes before the last backward");
    return awaitCalls(none);
  case OperationKind::Optimizer:
    return compute(static_cast<double>(plan.ranks[me].optimizer) * 1e-9);
  }
}

/// Short computations are added up, because short sleeps last much longer than requested.
void Runner::compute(double seconds) {
  owed += seconds * options.scale;
  if (owed < 200e-6)
    return;
  const Clock::time_point began = Clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(owed));
  owed -= since(began);
}

Runner::Turn Runner::turnOf(const Operation& op) {
  // Both lists are indexed by the kind of action. A backward pass that is not split computes both
  // gradients, so it can be the first input gradient and the last weight gradient of its chunk.
  static constexpr std::size_t begins[] = {0, 1, 1, 2, 3, 0}, ends[] = {0, 2, 1, 2, 3, 0};
  const auto kind = static_cast<std::size_t>(op.kind);
  std::uint64_t* const before = &ran[4 * op.chunk];
  const Turn turn{before[begins[kind]] == 0, before[ends[kind]] + 1 == plan.chunkMicroBatches};
  ++before[begins[kind]];
  if (ends[kind] != begins[kind])
    ++before[ends[kind]];
  return turn;
}

/// Runs a stage program, in which some segments run only for the first or last micro-batch.
void Runner::body(Turn turn, std::size_t index) {
  const Body& own = plan.bodies[index];
  for (std::size_t b = own.first; b < own.first + own.blocks; ++b) {
    const Block& block = plan.blocks[b];
    for (std::uint64_t time = 0; time < block.times; ++time)
      for (std::size_t i = block.first; i < block.first + block.segments; ++i) {
        const Segment& s = plan.segments[i];
        if (s.when == When::Every || (s.when == When::First ? turn.first : turn.last))
          segment(s);
      }
  }
}

void Runner::segment(const Segment& s) {
  switch (s.kind) {
  case SegmentKind::Compute:
    return compute(static_cast<double>(s.ns) * 1e-9);
  case SegmentKind::Call:
    return collective(s.call, true);
  case SegmentKind::Begin:
    return collective(s.call, false);
  case SegmentKind::Wait:
    return awaitCalls(s.call);
  }
}

void Runner::recompute(const Operation& op) {
  need(mark(computed, true, op.chunk, op.microBatch) != 0,
       describe(op) + " comes before its forward");
  need(recomputedOf(op) == 0, describe(op) + " comes twice");
  body(turnOf(op), chunkOf(op).recomputation);
  recomputedOf(op) = 1;
}

void Runner::needInput(const Operation& op, bool backward) {
  need(!backward || mark(computed, true, op.chunk, op.microBatch) != 0,
       describe(op) + " comes before its forward");
  const Chunk& chunk = chunkOf(op);
  need(!backward || chunk.recomputation == none || recomputedOf(op) != 0,
       describe(op) + " comes before its recomputation");
  if (const std::size_t from = backward ? chunk.next : chunk.previous; from != none) {
    const bool here = from / plan.chunksPerRank == me;
    need(mark(here ? computed : received, !backward, from % plan.chunksPerRank, op.microBatch) != 0,
         describe(op) + " comes before its input");
  }
  need(mark(computed, !backward, op.chunk, op.microBatch) == 0, describe(op) + " comes twice");
}

void Runner::pass(const Operation& op, bool backward) {
  needInput(op, backward);
  if (!plan.messagesOverlap)
    collect(true);
  const Chunk& chunk = chunkOf(op);
  body(turnOf(op), op.kind == OperationKind::BackwardInput ? chunk.inputs
                   : backward                              ? chunk.backward
                                                           : chunk.forward);
  mark(computed, !backward, op.chunk, op.microBatch) = 1;
}

/// Runs two actions whose segments alternate. Segments for the first micro-batch belong to the
/// forward action, segments for the last one to the backward action.
void Runner::pair(const Operation& op, const Operation& with) {
  needInput(op, false), needInput(with, true);
  if (!plan.messagesOverlap)
    collect(true);
  const bool first = turnOf(op).first, last = turnOf(with).last;
  body({first, last}, op.other);
  mark(computed, true, op.chunk, op.microBatch) = 1;
  mark(computed, false, with.chunk, with.microBatch) = 1;
}

/// Runs a collective. Results are checked before another collective overwrites them, so in checked
/// steps each collective is awaited.
void Runner::collective(std::size_t index, bool waits) {
  const Call& call = plan.calls[index];
  const Group& group = plan.groups[call.group];
  const Membership m = membershipIn(plan, group, transport.rank());
  const Part part{call.kind, group.size, m.index, wordsOf(call.bytes, group.size)};
  const Pattern pattern((static_cast<std::uint64_t>(call.group) << 40) + serials[call.group]++);
  const auto stream = static_cast<std::size_t>(call.stream);
  if (checking)
    fill(part, pattern, input[stream]);
  const Calling made{
      transport.call(links.group(call.group), part, input[stream], output[stream], call.stream),
      index, now};
  if (!waits && !checking) {
    calling.push_back(made);
    return;
  }
  await(made);
  if (checking)
    verify(call, part, pattern, m);
}

void Runner::await(const Calling& made) {
  const Call& call = plan.calls[made.call];
  const Group& group = plan.groups[call.group];
  await(made.pending, [&] {
    return std::string(nameOf(call.kind)) + " " + call.purpose + " of group " + group.name +
           " that begins at rank " +
           std::to_string(membershipIn(plan, group, transport.rank()).base) + ", in " +
           describe(operations[made.index], made.index);
  });
}

/// Waits for the pending collectives with index `call`, or for all of them if it is `none`.
void Runner::awaitCalls(std::size_t call) {
  std::vector<Calling> left;
  for (const Calling& made : calling)
    if (call == none || made.call == call)
      await(made);
    else
      left.push_back(made);
  calling = std::move(left);
}

void Runner::send(const Operation& op, bool forward) {
  need(mark(computed, forward, op.chunk, op.microBatch) != 0,
       describe(op) + " comes before what it sends is computed");
  if (freeBuffers.empty())
    freeBuffers.push_back(transport.allocate(messageWords));
  Word* buffer = freeBuffers.back();
  freeBuffers.pop_back();
  if (checking) {
    fillMessage(forward, op.chunk, op.microBatch);
    transport.write(buffer, host.data(), messageWords);
  }
  const int pending = transport.send(links.to(op.other, forward), 1, buffer, messageWords);
  sending.push_back({pending, buffer, op, now});
}

void Runner::receive(const Operation& op, bool forward) {
  await(transport.receive(links.from(op.other, forward), 0, incoming, messageWords),
        [&] { return describe(op); });
  if (checking)
    verifyMessage(op, forward);
  mark(received, forward, op.chunk, op.microBatch) = 1;
}

/// Releases ended collectives and the buffers of ended sends. If `all` is set, waits for all sends.
void Runner::collect(bool all) {
  calling.erase(std::remove_if(calling.begin(), calling.end(),
                               [&](const Calling& made) { return transport.done(made.pending); }),
                calling.end());
  std::vector<Sending> left;
  for (const Sending& s : sending) {
    if (all) {
      await(s.pending, [&] { return describe(s.op, s.index) + ", which nobody received"; });
    } else if (!transport.done(s.pending)) {
      left.push_back(s);
      continue;
    }
    freeBuffers.push_back(s.buffer);
  }
  sending = std::move(left);
}

std::vector<std::string> Runner::gather(const std::string& text) {
  const std::uint64_t p = plan.pipelineRanks;
  if (transport.rank() % plan.pipelineStride != 0 || transport.rank() >= p * plan.pipelineStride)
    return {};
  if (p < 2)
    return {text};
  // Lengths are exchanged first, then texts, padded to the largest length.
  const auto exchange = [&](const std::vector<Word>& mine) {
    Word* from = transport.allocate(mine.size());
    Word* to = transport.allocate(p * mine.size());
    transport.write(from, mine.data(), mine.size());
    await(transport.call(links.pipeline(), {CallKind::AllGather, p, me, p * mine.size()}, from, to,
                         Stream::Tensor),
          [] { return std::string("the times of the other pipeline ranks"); });
    std::vector<Word> all(p * mine.size());
    transport.read(all.data(), to, all.size());
    return all;
  };
  const std::vector<Word> lengths = exchange({static_cast<Word>(text.size())});
  const Word longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<Word> mine(longest / 4 + 1);
  text.copy(reinterpret_cast<char*>(mine.data()), text.size());
  const std::vector<Word> all = exchange(mine);
  if (transport.rank() != 0)
    return {};
  std::vector<std::string> texts;
  for (std::uint64_t r = 0; r < p; ++r)
    texts.emplace_back(reinterpret_cast<const char*>(all.data() + r * mine.size()), lengths[r]);
  return texts;
}

} // namespace twin

//===- DualPipeV.cpp - Two chunks a rank, forward and backward merged in pairs ----------------===//
//
// DualPipe (DeepSeek-AI, arXiv 2412.19437, section 3.2.1) cut in half, so that no stage has a copy:
// github.com/deepseek-ai/DualPipe (3da1bbe, dualpipev.py, `step`). torch.distributed.pipelining has
// its order as ScheduleDualPipeV (2.11). A rank runs a forward of one chunk merged with a backward
// of the other, so that the exchanges of one can hide behind the computation of the other.
#include "cost/schedules/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include <deque>

using namespace dpl::cost;
using dpl::ir::OperationKind;
using dpl::ir::ScheduledOperation;

namespace {
/// Takes the passes of a rank, and when it posts what.
class Writer {
public:
  explicit Writer(OperationList& list) : out(list) {}
  virtual ~Writer() = default;

  void forward(int chunk) { add(OperationKind::Forward, chunk, forwards[chunk]++); }
  void backward(int chunk) { add(OperationKind::Backward, chunk, backwards[chunk]++); }
  /// A backward whose weight gradient waits.
  void input(int chunk) {
    add(OperationKind::BackwardInput, chunk, backwards[chunk]++);
    waiting.push_back(out.back());
  }
  /// Of the backward that has waited longest.
  void weight() {
    out.push_back(waiting.front());
    out.back().kind = OperationKind::BackwardWeight;
    waiting.pop_front();
  }
  void pair(int there, int back) {
    add(OperationKind::PairedForward, there, forwards[there]++);
    backward(back);
  }

  // Messages of the next pass of a chunk that is not received, of the last that is not sent.
  virtual void receive(bool, int) {}
  virtual void send(bool, int) {}
  virtual void commit() {}

protected:
  OperationList& out;

private:
  void add(OperationKind kind, int chunk, std::uint32_t microBatch) {
    out.push_back({kind, static_cast<std::uint16_t>(chunk), microBatch});
  }
  std::uint32_t forwards[2] = {}, backwards[2] = {};
  std::deque<ScheduledOperation> waiting;
};

constexpr bool ahead = true, back = false; ///< directions of a message

void forward(Writer& w, int chunk) {
  w.receive(ahead, chunk), w.commit();
  w.forward(chunk), w.send(ahead, chunk);
}
template <class Pass> void backward(Writer& w, int chunk, const Pass& pass) {
  w.receive(back, chunk), w.commit();
  pass(), w.send(back, chunk);
}
void pair(Writer& w, int there, int home, bool received = false) {
  if (!received)
    w.receive(ahead, there);
  w.receive(back, home), w.commit();
  w.pair(there, home), w.send(ahead, there), w.send(back, home);
}

void write(std::uint64_t ranks, std::uint64_t rank, std::uint64_t microBatches, Writer& w) {
  const std::uint64_t behind = ranks - rank - 1, own = rank + 1;
  const bool meets = behind == 0;
  const auto input = [&](int chunk) { backward(w, chunk, [&] { w.input(chunk); }); };
  const auto whole = [&](int chunk) { backward(w, chunk, [&] { w.backward(chunk); }); };
  const auto weight = [&] { w.commit(), w.weight(); };

  for (std::uint64_t i = 0; i < 2 * behind; ++i)
    forward(w, 0);
  w.receive(ahead, 0);
  for (std::uint64_t i = 0; i < own; ++i) {
    w.commit(), w.forward(0);
    if (meets)
      w.send(ahead, 0);
    w.receive(ahead, 0), w.receive(ahead, 1), w.commit();
    w.forward(1);
    if (!meets || i + 1 < own)
      w.send(ahead, 1);
    if (!meets)
      w.send(ahead, 0);
  }
  for (std::uint64_t i = 0; i < behind; ++i) {
    input(1);
    w.receive(ahead, 1), weight();
    w.commit(), w.forward(1), w.send(ahead, 1);
  }
  for (std::uint64_t i = 0; i < microBatches - 2 * ranks + own; ++i) {
    if (i == 0 && meets) { // apart, so that the neighbour waits less
      w.commit(), w.forward(0), w.send(ahead, 1);
      w.receive(back, 1), w.commit(), w.backward(1);
      w.send(ahead, 0), w.send(back, 1);
    } else {
      pair(w, 0, 1, i == 0);
    }
    pair(w, 1, 0);
  }
  for (std::uint64_t i = 0; i < behind; ++i)
    whole(1), pair(w, 1, 0);
  // Of the last backwards the second half leaves its weight gradients for the end.
  std::uint64_t passes = 0;
  const std::uint64_t wholes = 2 * (own / 2) + (rank % 2 == 0 ? 1 : 0);
  for (std::uint64_t i = 0; i < own; ++i)
    for (const int chunk : {1, 0})
      passes++ < wholes ? whole(chunk) : input(chunk);
  for (std::uint64_t i = 0; i < behind; ++i)
    weight(), input(0);
  for (std::uint64_t i = 0; i < own; ++i)
    weight();
  w.commit();
}

/// Follows a list that is there and collects what is posted.
class Poster final : public Writer {
public:
  Poster(OperationList& again, Routes::OfRank routes, llvm::ArrayRef<ScheduledOperation> listed,
         std::vector<Exchange>& posted)
      : Writer(again), routeOf(routes), list(listed), groups(posted) {
    for (std::uint32_t i = 0; i < list.size(); ++i)
      if (list[i].kind != OperationKind::BackwardWeight)
        passes[list[i].forward()][list[i].chunk].push_back(i);
  }
  void receive(bool forward, int chunk) override {
    // Nothing is behind the last pass.
    auto& turn = received[forward][chunk];
    const auto& of = passes[forward][chunk];
    if (turn < of.size() && routeOf(list[of[turn]]).receives())
      pending.push_back({0, Exchange::none, of[turn]});
    ++turn;
  }
  void send(bool forward, int chunk) override {
    const std::uint32_t pass = passes[forward][chunk][sent[forward][chunk]++];
    if (routeOf(list[pass]).sends())
      pending.push_back({0, pass, Exchange::none});
  }
  void commit() override {
    bool joins = false;
    for (Exchange& e : pending) {
      e.after = static_cast<std::uint32_t>(out.size()), e.joins = joins, joins = true;
      groups.push_back(e);
    }
    pending.clear();
  }

private:
  Routes::OfRank routeOf;
  llvm::ArrayRef<ScheduledOperation> list;
  std::vector<Exchange>& groups;
  std::vector<Exchange> pending;
  std::vector<std::uint32_t> passes[2][2]; ///< by direction and chunk
  std::size_t received[2][2] = {}, sent[2][2] = {};
};

ScheduleRule legal(const PipelineShape& shape) {
  if (shape.ranks == 1)
    return ScheduleRule::NeedsPipeline;
  return shape.microBatches < 2 * shape.ranks ? ScheduleRule::FewMicroBatches : ScheduleRule::Legal;
}
void generate(const PipelineShape& shape, std::uint64_t rank, OperationList& out) {
  Writer w(out);
  write(shape.ranks, rank, shape.microBatches, w);
}
/// What is sent and needed is collected, and posted and waited for together before the next pass
/// (`commit`).
void exchanges(const Routes& routes, std::uint64_t rank, llvm::ArrayRef<ScheduledOperation> list,
               std::vector<Exchange>& out) {
  OperationList again;
  again.reserve(list.size());
  const auto forwards =
      llvm::count_if(list, [](const ScheduledOperation& op) { return op.forward(); });
  Poster w(again, routes.ofRank(rank), list, out);
  write(routes.ranks(), rank, static_cast<std::uint64_t>(forwards) / 2, w);
}
/// The (F&B + B − 3W) of a chunk p − 1 times (DeepSeek-AI's DualPipe, README at 3da1bbe), where
/// passes take equally long and a pair as long as both.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const PieceTime& each) {
  if (!passesAlike(each) || durationOf(OperationKind::Backward, each) != each.backward)
    return std::nullopt;
  return rankWork(shape, each) + (shape.ranks - 1) * 2 * each.forward;
}
} // namespace

const ScheduleInfo dpl::cost::DualPipeVSchedule{
    .summary = "two chunks a rank, forward of one and backward of the other merged in pairs",
    .backward = BackwardPasses::Mixed,
    .legal = legal,
    .generate = generate,
    .pairs = true,
    .exchanges = exchanges,
    .equalStages = equalStages};

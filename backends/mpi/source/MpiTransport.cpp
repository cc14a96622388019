//===- MpiTransport.cpp - The program's transport over MPI ------------------------------------===//
// Uses only the C interface, because the old C++ interface needs another library.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include "Transport.h"
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mpi.h>
#include <vector>

namespace twin {
namespace {

/// Runs operations over MPI. It needs MPI 3.0 for nonblocking collectives.
class MpiTransport final : public Transport {
public:
  MpiTransport(int& argc, char**& argv) {
    MPI_Init(&argc, &argv);
    communicators.push_back(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &worldRank);
    MPI_Comm_size(MPI_COMM_WORLD, &worldSize);
  }
  ~MpiTransport() override {
    for (Word* memory : allocated)
      std::free(memory);
    for (std::size_t i = communicators.size(); i-- > 1;)
      MPI_Comm_free(&communicators[i]);
    MPI_Finalize();
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  std::uint64_t rank() const override { return static_cast<std::uint64_t>(worldRank); }
  std::uint64_t size() const override { return static_cast<std::uint64_t>(worldSize); }

  int split(int parent, int color, int key, bool /*link*/) override {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(communicators[static_cast<std::size_t>(parent)],
                   color == none ? MPI_UNDEFINED : color, key, &made);
    if (made == MPI_COMM_NULL)
      return none;
    communicators.push_back(made);
    return static_cast<int>(communicators.size()) - 1;
  }

  Word* allocate(std::uint64_t words) override {
    auto* memory = static_cast<Word*>(std::calloc(words, sizeof(Word)));
    if (memory == nullptr) {
      std::fprintf(stderr, "rank %d: no memory for %llu bytes; a smaller --scale needs less\n",
                   worldRank, static_cast<unsigned long long>(words * sizeof(Word)));
      abort(1);
    }
    allocated.push_back(memory);
    return memory;
  }
  void write(Word* to, const Word* from, std::uint64_t words) override {
    std::memcpy(to, from, words * sizeof(Word));
  }
  void read(Word* to, const Word* from, std::uint64_t words) override {
    std::memcpy(to, from, words * sizeof(Word));
  }

  int send(int communicator, int peer, const Word* from, std::uint64_t words) override {
    return start(
        [&](MPI_Comm comm, MPI_Request* request) {
          MPI_Isend(from, count(words), MPI_UINT32_T, peer, 0, comm, request);
        },
        communicator);
  }
  int receive(int communicator, int peer, Word* to, std::uint64_t words) override {
    return start(
        [&](MPI_Comm comm, MPI_Request* request) {
          MPI_Irecv(to, count(words), MPI_UINT32_T, peer, 0, comm, request);
        },
        communicator);
  }
  int call(int communicator, const Part& part, const Word* in, Word* out, Stream stream) override {
    const int pending = number();
    std::deque<Waiting>& queue = queues[static_cast<std::size_t>(stream)];
    queue.push_back({pending, communicator, part, in, out});
    if (queue.size() == 1)
      begin(queue.front());
    return pending;
  }

  bool done(int pending) override {
    for (std::deque<Waiting>& queue : queues)
      while (!queue.empty() && test(queue.front().pending)) {
        ended[static_cast<std::size_t>(queue.front().pending)] = 1;
        queue.pop_front();
        if (!queue.empty())
          begin(queue.front());
      }
    const auto at = static_cast<std::size_t>(pending);
    const bool waits = std::any_of(std::begin(queues), std::end(queues), [&](const auto& queue) {
      return std::any_of(queue.begin(), queue.end(),
                         [&](const Waiting& w) { return w.pending == pending; });
    });
    if (waits || (ended[at] == 0 && !test(pending)))
      return false;
    ended[at] = 0;
    freeRequests.push_back(pending);
    return true;
  }

protected:
  void endAll(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }

private:
  /// A collective that has not started, because an earlier one of its stream has not ended.
  struct Waiting {
    int pending, communicator;
    Part part;
    const Word* in;
    Word* out;
  };

  int number() {
    if (freeRequests.empty()) {
      freeRequests.push_back(static_cast<int>(requests.size()));
      requests.push_back(MPI_REQUEST_NULL);
      ended.push_back(0);
    }
    const int pending = freeRequests.back();
    freeRequests.pop_back();
    return pending;
  }
  bool test(int pending) {
    int over = 0;
    MPI_Test(&requests[static_cast<std::size_t>(pending)], &over, MPI_STATUS_IGNORE);
    return over != 0;
  }
  void begin(const Waiting& w) {
    const int whole = count(w.part.words), block = count(w.part.block());
    const MPI_Comm comm = communicators[static_cast<std::size_t>(w.communicator)];
    MPI_Request* request = &requests[static_cast<std::size_t>(w.pending)];
    switch (w.part.kind) {
    case CallKind::AllReduce:
      MPI_Iallreduce(w.in, w.out, whole, MPI_UINT32_T, MPI_SUM, comm, request);
      break;
    case CallKind::ReduceScatter:
      MPI_Ireduce_scatter_block(w.in, w.out, block, MPI_UINT32_T, MPI_SUM, comm, request);
      break;
    case CallKind::AllGather:
      MPI_Iallgather(w.in, block, MPI_UINT32_T, w.out, block, MPI_UINT32_T, comm, request);
      break;
    case CallKind::AllToAll:
      MPI_Ialltoall(w.in, block, MPI_UINT32_T, w.out, block, MPI_UINT32_T, comm, request);
      break;
    }
  }
  template <class Start> int start(const Start& begin, int communicator) {
    const int pending = number();
    begin(communicators[static_cast<std::size_t>(communicator)],
          &requests[static_cast<std::size_t>(pending)]);
    return pending;
  }
  int count(std::uint64_t words) {
    if (words > INT_MAX) {
      std::fprintf(stderr,
                   "rank %d: a buffer of %llu words, MPI counts to %d; use a smaller --scale\n",
                   worldRank, static_cast<unsigned long long>(words), INT_MAX);
      abort(1);
    }
    return static_cast<int>(words);
  }

  int worldRank = 0, worldSize = 1;
  std::vector<MPI_Comm> communicators;
  std::vector<MPI_Request> requests; ///< requests by number; the numbers in freeRequests are unused
  std::vector<char> ended;           ///< by request: whether a collective ended before it was
                                     ///< tested
  std::vector<int> freeRequests;
  std::deque<Waiting> queues[streams];
  std::vector<Word*> allocated;
};

} // namespace

std::unique_ptr<Transport> connect(int& argc, char**& argv) {
  return std::make_unique<MpiTransport>(argc, argv);
}

} // namespace twin

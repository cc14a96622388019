//===- NcclTransport.cpp - The program's transport over NCCL ----------------------------------===//
//
// One process drives one device. Each link has its own communicator and stream, so that a waiting
// send blocks nothing else. Collectives use the streams of the plan, at most four. Together with up
// to eight links per rank, these are more than the eight hardware queues that a device has by
// default, and streams in one queue wait for each other. Ranks of a group launch its collectives in
// one order, which is that of their stage programs.
#include "Rendezvous.h"
#include "Transport.h"
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <vector>

#ifndef NCCL_VERSION
#error "NCCL 2.18 or later is needed"
#elif NCCL_VERSION_CODE < NCCL_VERSION(2, 18, 0)
#error "NCCL 2.18 or later is needed: earlier ones cannot split a communicator"
#endif

namespace twin {
namespace {

class NcclTransport final : public Transport {
public:
  NcclTransport() : place(Place::find()) {
    if (!place.error.empty())
      fail("the launcher's environment", place.error.c_str());
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "16", 1);
    int devices = 0;
    check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    if (place.local >= devices)
      fail("its device", ("local rank " + std::to_string(place.local) +
                          " has no device, there are " + std::to_string(devices))
                             .c_str());
    check(cudaSetDevice(static_cast<int>(place.local)), "cudaSetDevice");
    ncclUniqueId id;
    if (place.rank == 0)
      check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    std::string error;
    if (!Rendezvous(place, 300).share(&id, sizeof id, error))
      fail("the others", error.c_str());
    for (cudaStream_t& one : callStreams)
      one = stream();
    ncclConfig_t config = configuration("world");
    ncclComm_t made = nullptr;
    check(ncclCommInitRankConfig(&made, static_cast<int>(place.size), id,
                                 static_cast<int>(place.rank), &config),
          "ncclCommInitRankConfig");
    communicators.push_back({made, callStreams[0], false});
  }

  ~NcclTransport() override {
    cudaDeviceSynchronize();
    for (const Event& event : events)
      cudaEventDestroy(event.handle);
    for (std::size_t i = communicators.size(); i-- > 0;) {
      ncclCommFinalize(communicators[i].handle);
      ncclCommDestroy(communicators[i].handle);
      if (communicators[i].link)
        cudaStreamDestroy(communicators[i].stream);
    }
    for (const cudaStream_t one : callStreams)
      cudaStreamDestroy(one);
    for (Word* memory : allocated)
      cudaFree(memory);
  }
  NcclTransport(const NcclTransport&) = delete;
  NcclTransport& operator=(const NcclTransport&) = delete;

  std::uint64_t rank() const override { return static_cast<std::uint64_t>(place.rank); }
  std::uint64_t size() const override { return static_cast<std::uint64_t>(place.size); }

  int split(int parent, int color, int key, bool link) override {
    ncclConfig_t config = configuration(link ? "link" : "group");
    // The kernels of all links and groups must fit on the device at once, because each kernel waits
    // for a kernel on another device.
    if (link)
      config.maxCTAs = 4;
    ncclComm_t made = nullptr;
    check(ncclCommSplit(communicators[index(parent)].handle,
                        color == none ? NCCL_SPLIT_NOCOLOR : color, key, &made, &config),
          "ncclCommSplit");
    if (made == nullptr)
      return none;
    communicators.push_back({made, link ? stream() : callStreams[0], link});
    return static_cast<int>(communicators.size()) - 1;
  }

  Word* allocate(std::uint64_t words) override {
    Word* memory = nullptr;
    if (cudaMalloc(reinterpret_cast<void**>(&memory), words * sizeof(Word)) != cudaSuccess)
      fail("cudaMalloc", "no memory; a smaller --scale needs less");
    check(cudaMemset(memory, 0, words * sizeof(Word)), "cudaMemset");
    allocated.push_back(memory);
    return memory;
  }
  void write(Word* to, const Word* from, std::uint64_t words) override {
    check(cudaMemcpy(to, from, words * sizeof(Word), cudaMemcpyHostToDevice), "cudaMemcpy");
    // The streams here do not synchronize with the null stream.
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  }
  void read(Word* to, const Word* from, std::uint64_t words) override {
    check(cudaMemcpy(to, from, words * sizeof(Word), cudaMemcpyDeviceToHost), "cudaMemcpy");
  }

  int send(int communicator, int peer, const Word* from, std::uint64_t words) override {
    const Communicator& c = communicators[index(communicator)];
    check(ncclSend(from, words, ncclUint32, peer, c.handle, c.stream), "ncclSend");
    return pending(c, c.stream);
  }
  int receive(int communicator, int peer, Word* to, std::uint64_t words) override {
    const Communicator& c = communicators[index(communicator)];
    check(ncclRecv(to, words, ncclUint32, peer, c.handle, c.stream), "ncclRecv");
    return pending(c, c.stream);
  }

  int call(int communicator, const Part& part, const Word* in, Word* out, Stream stream) override {
    const Communicator& c = communicators[index(communicator)];
    const cudaStream_t on = callStreams[static_cast<std::size_t>(stream)];
    switch (part.kind) {
    case CallKind::AllReduce:
      check(ncclAllReduce(in, out, part.words, ncclUint32, ncclSum, c.handle, on), "ncclAllReduce");
      break;
    case CallKind::ReduceScatter:
      check(ncclReduceScatter(in, out, part.block(), ncclUint32, ncclSum, c.handle, on),
            "ncclReduceScatter");
      break;
    case CallKind::AllGather:
      check(ncclAllGather(in, out, part.block(), ncclUint32, c.handle, on), "ncclAllGather");
      break;
    case CallKind::AllToAll:
      allToAll(part, in, out, c.handle, on);
      break;
    }
    return pending(c, on);
  }

  bool done(int number) override {
    Event& event = events[index(number)];
    ncclResult_t state = ncclSuccess;
    check(ncclCommGetAsyncError(event.communicator, &state), "ncclCommGetAsyncError");
    check(state, "a collective");
    const cudaError_t found = cudaEventQuery(event.handle);
    if (found == cudaErrorNotReady)
      return false;
    check(found, "cudaEventQuery");
    freeEvents.push_back(number);
    return true;
  }

protected:
  /// The other ranks end when their operation times out, or when the launcher ends them.
  void endAll(int /*status*/) override {
    for (const Communicator& c : communicators)
      ncclCommAbort(c.handle);
  }

private:
  struct Communicator {
    ncclComm_t handle;
    cudaStream_t stream;
    bool link;
  };
  struct Event {
    cudaEvent_t handle;
    ncclComm_t communicator;
  };
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  static ncclConfig_t configuration(const char* name) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    config.splitShare = 0; // communicators that share resources would wait for each other
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
    config.commName = name;
#else
    static_cast<void>(name);
#endif
    return config;
  }

  void allToAll(const Part& part, const Word* in, Word* out, ncclComm_t communicator,
                cudaStream_t on) {
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
    check(ncclAlltoAll(in, out, part.block(), ncclUint32, communicator, on), "ncclAlltoAll");
#else
    check(ncclGroupStart(), "ncclGroupStart");
    for (std::uint64_t peer = 0; peer < part.group; ++peer) {
      check(ncclSend(in + peer * part.block(), part.block(), ncclUint32, static_cast<int>(peer),
                     communicator, on),
            "ncclSend");
      check(ncclRecv(out + peer * part.block(), part.block(), ncclUint32, static_cast<int>(peer),
                     communicator, on),
            "ncclRecv");
    }
    check(ncclGroupEnd(), "ncclGroupEnd");
#endif
  }

  cudaStream_t stream() {
    cudaStream_t made = nullptr;
    check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return made;
  }

  /// Records an event after all earlier work of the stream, and returns its number.
  int pending(const Communicator& c, cudaStream_t on) {
    if (freeEvents.empty()) {
      cudaEvent_t made = nullptr;
      check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "cudaEventCreateWithFlags");
      freeEvents.push_back(static_cast<int>(events.size()));
      events.push_back({made, nullptr});
    }
    const int number = freeEvents.back();
    freeEvents.pop_back();
    events[index(number)].communicator = c.handle;
    check(cudaEventRecord(events[index(number)].handle, on), "cudaEventRecord");
    return number;
  }

  [[noreturn]] void fail(const char* what, const char* why) {
    std::fprintf(stderr, "rank %ld: %s: %s\n", place.rank, what, why);
    abort(1);
  }
  void check(cudaError_t result, const char* what) {
    if (result != cudaSuccess)
      fail(what, cudaGetErrorString(result));
  }
  void check(ncclResult_t result, const char* what) {
    if (result != ncclSuccess && result != ncclInProgress)
      fail(what, ncclGetErrorString(result));
  }

  const Place place;
  cudaStream_t callStreams[streams] = {};
  std::vector<Communicator> communicators;
  std::vector<Event> events; ///< events by number; the numbers in freeEvents are unused
  std::vector<int> freeEvents;
  std::vector<Word*> allocated;
};

} // namespace

std::unique_ptr<Transport> connect(int& /*argc*/, char**& /*argv*/) {
  return std::make_unique<NcclTransport>();
}

} // namespace twin

//===- StandIn.cpp - The calls of CUDA and NCCL that the program makes, over MPI and threads --===//
//
// For machines without devices: the program over NCCL runs as it is, with this in place of the two
// libraries. A stream is a thread that does one thing after the other. As in NCCL, the operations
// of one communicator follow one another whatever their streams, and a send waits for its receiver.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <deque>
#include <functional>
#include <mpi.h>
#include <mutex>
#include <nccl.h>
#include <thread>
#include <vector>

namespace {
std::mutex mpi; ///< one thread at a time calls it

struct Stream {
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::function<void()>> work;
  bool ended = false;
  std::size_t left = 0; ///< not yet done
  std::thread worker{[this] { run(); }};

  void add(std::function<void()> what) {
    const std::lock_guard<std::mutex> guard(lock);
    work.push_back(std::move(what));
    ++left;
    changed.notify_all();
  }
  void run() {
    std::unique_lock<std::mutex> guard(lock);
    for (;;) {
      changed.wait(guard, [this] { return ended || !work.empty(); });
      if (work.empty())
        return;
      const std::function<void()> next = std::move(work.front());
      work.pop_front();
      guard.unlock();
      next();
      guard.lock();
      --left;
      changed.notify_all();
    }
  }
  void wait() {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [this] { return left == 0; });
  }
  void end() {
    {
      const std::lock_guard<std::mutex> guard(lock);
      ended = true;
      changed.notify_all();
    }
    worker.join();
  }
};

struct Event {
  std::mutex lock;
  std::size_t recorded = 0, reached = 0;
};

struct Communicator {
  MPI_Comm handle = MPI_COMM_NULL;
  std::mutex lock;
  std::condition_variable changed;
  std::size_t issued = 0, finished = 0;
};

std::vector<Stream*> streams;

Stream* of(cudaStream_t s) { return reinterpret_cast<Stream*>(s); }
Event* of(cudaEvent_t e) { return reinterpret_cast<Event*>(e); }
Communicator* of(ncclComm_t c) { return reinterpret_cast<Communicator*>(c); }

using Begin = std::function<void(MPI_Comm, MPI_Request*)>;

/// What is called between ncclGroupStart and ncclGroupEnd becomes one operation.
struct Grouped {
  bool open = false;
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  std::vector<Begin> parts;
} grouped;

/// Operations of one communicator begin in the order of their calls.
void enqueue(ncclComm_t comm, cudaStream_t on, std::vector<Begin> parts) {
  Communicator* c = of(comm);
  const std::size_t turn = c->issued++;
  of(on)->add([c, turn, parts = std::move(parts)] {
    std::unique_lock<std::mutex> guard(c->lock);
    c->changed.wait(guard, [&] { return c->finished == turn; });
    std::vector<MPI_Request> requests(parts.size(), MPI_REQUEST_NULL);
    {
      const std::lock_guard<std::mutex> calling(mpi);
      for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i](c->handle, &requests[i]);
    }
    for (int ended = 0; ended == 0;) {
      {
        const std::lock_guard<std::mutex> calling(mpi);
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &ended,
                    MPI_STATUSES_IGNORE);
      }
      if (ended == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    ++c->finished;
    c->changed.notify_all();
  });
}

ncclResult_t start(ncclComm_t comm, cudaStream_t on, Begin begin) {
  if (grouped.open) {
    grouped.communicator = comm;
    grouped.stream = on;
    grouped.parts.push_back(std::move(begin));
  } else {
    enqueue(comm, on, {std::move(begin)});
  }
  return ncclSuccess;
}

/// The program uses one type and one operator.
MPI_Datatype of(ncclDataType_t type) {
  if (type != ncclUint32)
    std::abort();
  return MPI_UINT32_T;
}
MPI_Op of(ncclRedOp_t op) {
  if (op != ncclSum)
    std::abort();
  return MPI_SUM;
}
int whole(std::size_t count) { return static_cast<int>(count); }
} // namespace

extern "C" {
// ---- CUDA --------------------------------------------------------------------------------------
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 64;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaMalloc(void** memory, size_t size) {
  *memory = std::malloc(size);
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* memory, int value, size_t size) {
  std::memset(memory, value, size);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind) {
  std::memcpy(to, from, size);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  streams.push_back(new Stream);
  *stream = reinterpret_cast<cudaStream_t>(streams.back());
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  of(stream)->end();
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (stream != nullptr)
    of(stream)->wait();
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  for (Stream* stream : streams)
    stream->wait();
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new Event);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete of(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  Event* e = of(event);
  std::size_t mark = 0;
  {
    const std::lock_guard<std::mutex> guard(e->lock);
    mark = ++e->recorded;
  }
  of(stream)->add([e, mark] {
    const std::lock_guard<std::mutex> guard(e->lock);
    e->reached = mark;
  });
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::lock_guard<std::mutex> guard(of(event)->lock);
  return of(event)->reached == of(event)->recorded ? cudaSuccess : cudaErrorNotReady;
}
const char* cudaGetErrorString(cudaError_t) { return "an error of the stand-in"; }

// ---- NCCL --------------------------------------------------------------------------------------
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::FILE* random = std::fopen("/dev/urandom", "rb");
  const bool read = std::fread(id, sizeof *id, 1, random) == 1;
  std::fclose(random);
  return read ? ncclSuccess : ncclSystemError;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t*) {
  int level = 0, ranks = 0, me = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  ncclUniqueId first = id;
  MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (level < MPI_THREAD_SERIALIZED || ranks != size || me != rank ||
      std::memcmp(&first, &id, sizeof id) != 0)
    return ncclInvalidArgument;
  auto* made = new Communicator;
  made->handle = MPI_COMM_WORLD;
  *comm = reinterpret_cast<ncclComm_t>(made);
  return ncclSuccess;
}
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* made, ncclConfig_t*) {
  const std::lock_guard<std::mutex> calling(mpi);
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_split(of(comm)->handle, color == NCCL_SPLIT_NOCOLOR ? MPI_UNDEFINED : color, key,
                 &handle);
  *made = nullptr;
  if (handle == MPI_COMM_NULL)
    return ncclSuccess;
  auto* communicator = new Communicator;
  communicator->handle = handle;
  *made = reinterpret_cast<ncclComm_t>(communicator);
  return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t) { return ncclSuccess; }
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (of(comm)->handle == MPI_COMM_WORLD)
    MPI_Finalize(); // the program destroys it last
  delete of(comm);
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t) { return ncclSuccess; }
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* state) {
  *state = ncclSuccess;
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t) { return "an error of the stand-in"; }
ncclResult_t ncclGroupStart() {
  grouped.open = true;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  enqueue(grouped.communicator, grouped.stream, std::move(grouped.parts));
  grouped = {};
  return ncclSuccess;
}
ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t on) {
  return start(comm, on, [=](MPI_Comm c, MPI_Request* r) {
    MPI_Issend(from, whole(count), of(type), peer, 0, c, r);
  });
}
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t on) {
  return start(comm, on, [=](MPI_Comm c, MPI_Request* r) {
    MPI_Irecv(to, whole(count), of(type), peer, 0, c, r);
  });
}
ncclResult_t ncclAllReduce(const void* in, void* out, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t on) {
  return start(comm, on, [=](MPI_Comm c, MPI_Request* r) {
    MPI_Iallreduce(in, out, whole(count), of(type), of(op), c, r);
  });
}
ncclResult_t ncclReduceScatter(const void* in, void* out, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t on) {
  return start(comm, on, [=](MPI_Comm c, MPI_Request* r) {
    MPI_Ireduce_scatter_block(in, out, whole(count), of(type), of(op), c, r);
  });
}
ncclResult_t ncclAllGather(const void* in, void* out, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t on) {
  return start(comm, on, [=](MPI_Comm c, MPI_Request* r) {
    MPI_Iallgather(in, whole(count), of(type), out, whole(count), of(type), c, r);
  });
}
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
ncclResult_t ncclAlltoAll(const void* in, void* out, size_t count, ncclDataType_t type,
                          ncclComm_t comm, cudaStream_t on) {
  return start(comm, on, [=](MPI_Comm c, MPI_Request* r) {
    MPI_Ialltoall(in, whole(count), of(type), out, whole(count), of(type), c, r);
  });
}
#endif
} // extern "C"

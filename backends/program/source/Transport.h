//===- Transport.h - What the program asks of MPI or NCCL -------------------------------------===//
#pragma once
#include "Pattern.h"
#include "Tables.h"
#include <cstdlib>
#include <memory>

namespace twin {

/// Communicators and pending operations are small numbers. Memory that operations use belongs to
/// the transport and may be a device's. A failure inside ends the job with a message.
class Transport {
public:
  static constexpr int world = 0, none = -1;

  virtual ~Transport() = default;
  virtual std::uint64_t rank() const = 0;
  virtual std::uint64_t size() const = 0;

  /// All ranks of the parent call it. Those that name the same `color` become one communicator,
  /// ordered by `key`; `none` as a color stays out, and gets `none`. A link has two ranks and one
  /// direction; nothing else may hold up what is sent on it.
  virtual int split(int parent, int color, int key, bool link) = 0;

  virtual Word* allocate(std::uint64_t words) = 0;
  virtual void write(Word* to, const Word* from, std::uint64_t words) = 0;
  virtual void read(Word* to, const Word* from, std::uint64_t words) = 0;

  // Each starts an operation and returns; messages of a communicator arrive in the order they left.
  virtual int send(int communicator, int peer, const Word* from, std::uint64_t words) = 0;
  virtual int receive(int communicator, int peer, Word* to, std::uint64_t words) = 0;
  /// Calls of a stream run one after the other.
  virtual int call(int communicator, const Part& part, const Word* in, Word* out,
                   Stream stream) = 0;
  /// Whether an operation has ended; once it has, its number is free again.
  virtual bool done(int pending) = 0;

  /// Ends the job on all ranks.
  [[noreturn]] void abort(int status) {
    endAll(status);
    std::_Exit(status);
  }

protected:
  virtual void endAll(int status) = 0;
};

/// Joins this process to the others.
std::unique_ptr<Transport> connect(int& argc, char**& argv);

} // namespace twin

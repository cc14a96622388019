//===- Transport.h - Interface of the program to MPI or NCCL ----------------------------------===//
#pragma once
#include "Pattern.h"
#include "Tables.h"
#include <cstdlib>
#include <memory>

namespace twin {

/// Communicators and pending operations are small integers. The transport owns the memory of the
/// operations, which may be device memory. An internal error ends the job with a message.
class Transport {
public:
  static constexpr int world = 0, none = -1;

  virtual ~Transport() = default;
  virtual std::uint64_t rank() const = 0;
  virtual std::uint64_t size() const = 0;

  /// A collective over `parent`. Ranks with equal `color` form a communicator, in which they are
  /// ordered by `key`. A rank with color `none` gets `none`. If `link` is set, the communicator has
  /// two ranks and one direction, and no other traffic may block it.
  virtual int split(int parent, int color, int key, bool link) = 0;

  virtual Word* allocate(std::uint64_t words) = 0;
  virtual void write(Word* to, const Word* from, std::uint64_t words) = 0;
  virtual void read(Word* to, const Word* from, std::uint64_t words) = 0;

  // These functions start an operation and return its number. Messages of a communicator arrive in
  // order.
  virtual int send(int communicator, int peer, const Word* from, std::uint64_t words) = 0;
  virtual int receive(int communicator, int peer, Word* to, std::uint64_t words) = 0;
  /// Starts a collective. Collectives of one stream run one after another.
  virtual int call(int communicator, const Part& part, const Word* in, Word* out,
                   Stream stream) = 0;
  /// Whether an operation has ended. If so, its number may be used again.
  virtual bool done(int pending) = 0;

  /// Ends the job on all ranks.
  [[noreturn]] void abort(int status) {
    endAll(status);
    std::_Exit(status);
  }

protected:
  virtual void endAll(int status) = 0;
};

/// Connects this process to the other ranks.
std::unique_ptr<Transport> connect(int& argc, char**& argv);

} // namespace twin

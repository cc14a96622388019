//===- Rendezvous.h - Sends the bytes of rank 0 to all ranks before a communicator exists -----===//
#pragma once
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace twin {

/// The rank of this process, read from the environment of torchrun, srun or Open MPI's mpirun.
struct Place {
  long rank = 0, size = 1, local = 0;
  std::string address, port;
  std::string error; ///< sentence about a missing variable; empty if there is none

  static Place find() {
    struct Launcher {
      const char *rank, *size, *local;
    };
    static constexpr Launcher launchers[] = {
        {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
        {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"}};
    Place place;
    for (const Launcher& l : launchers) {
      if (!number(l.rank, place.rank) || !number(l.size, place.size))
        continue;
      if (!number(l.local, place.local))
        place.error = std::string(l.rank) + " is set, but " + l.local + " is not";
      break;
    }
    const char* address = std::getenv("MASTER_ADDR");
    long port = 0;
    // torchrun itself listens on MASTER_PORT, so the next port is used.
    if (!number("PLAN_PORT", port) && number("MASTER_PORT", port))
      ++port;
    place.address = address == nullptr ? "127.0.0.1" : address;
    place.port = std::to_string(port == 0 ? 29501 : port);
    if (place.size > 1 && address == nullptr && place.error.empty())
      place.error = "MASTER_ADDR is not set: the host of rank 0";
    return place;
  }

private:
  static bool number(const char* variable, long& out) {
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == 0)
      return false;
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (*end != 0 || value < 0)
      return false;
    out = value;
    return true;
  }
};

/// Rank 0 sends `size` bytes to every other rank over TCP. After `seconds`, `share` returns false
/// and the reason.
class Rendezvous {
public:
  Rendezvous(const Place& place, double seconds)
      : place(place),
        end(Clock::now() +
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

  bool share(void* bytes, std::size_t size, std::string& error) {
    if (place.size < 2)
      return true;
    return place.rank == 0 ? give(bytes, size, error) : take(bytes, size, error);
  }

private:
  using Clock = std::chrono::steady_clock;

  /// A socket that the destructor closes.
  struct Socket {
    int handle = -1;
    explicit Socket(int handle) : handle(handle) {}
    ~Socket() {
      if (handle >= 0)
        ::close(handle);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
  };

  addrinfo* addresses(const char* host, int flags) const {
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    return ::getaddrinfo(host, place.port.c_str(), &hints, &found) == 0 ? found : nullptr;
  }

  bool give(const void* bytes, std::size_t size, std::string& error) {
    addrinfo* own = addresses(nullptr, AI_PASSIVE);
    const Socket listener(own == nullptr ? -1 : ::socket(own->ai_family, SOCK_STREAM, 0));
    const int yes = 1;
    bool ready = listener.handle >= 0;
    if (ready) {
      ::setsockopt(listener.handle, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      const timeval poll{0, 200000};
      ::setsockopt(listener.handle, SOL_SOCKET, SO_RCVTIMEO, &poll, sizeof poll);
      ready = ::bind(listener.handle, own->ai_addr, own->ai_addrlen) == 0 &&
              ::listen(listener.handle, SOMAXCONN) == 0;
    }
    if (own != nullptr)
      ::freeaddrinfo(own);
    if (!ready) {
      error = "cannot listen on port " + place.port + ": " + std::strerror(errno);
      return false;
    }
    for (long left = place.size - 1; left > 0;) {
      const Socket peer(::accept(listener.handle, nullptr, nullptr));
      // A connection without a greeting is not from a rank. A rank that hung up early connects
      // again.
      if (peer.handle >= 0 && greeted(peer.handle) && sendAll(peer.handle, bytes, size))
        --left;
      if (left > 0 && Clock::now() > end) {
        error = std::to_string(left) + " of " + std::to_string(place.size - 1) +
                " ranks did not come to port " + place.port;
        return false;
      }
    }
    return true;
  }

  bool take(void* bytes, std::size_t size, std::string& error) {
    for (; Clock::now() < end; std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
      addrinfo* first = addresses(place.address.c_str(), 0);
      bool taken = false;
      for (const addrinfo* a = first; a != nullptr && !taken; a = a->ai_next) {
        const Socket server(::socket(a->ai_family, a->ai_socktype, a->ai_protocol));
        taken = server.handle >= 0 && ::connect(server.handle, a->ai_addr, a->ai_addrlen) == 0 &&
                sendAll(server.handle, greeting, sizeof greeting) &&
                receiveAll(server.handle, bytes, size);
      }
      if (first != nullptr)
        ::freeaddrinfo(first);
      if (taken)
        return true;
    }
    error = "rank 0 does not answer at " + place.address + " port " + place.port;
    return false;
  }

  static bool greeted(int handle) {
    const timeval patience{5, 0};
    ::setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char text[sizeof greeting] = {};
    return receiveAll(handle, text, sizeof text) && std::memcmp(text, greeting, sizeof text) == 0;
  }
  static bool sendAll(int handle, const void* bytes, std::size_t size) {
    const char* at = static_cast<const char*>(bytes);
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = ::send(handle, at + done, size - done, MSG_NOSIGNAL);
      if (n <= 0)
        return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  }
  static bool receiveAll(int handle, void* bytes, std::size_t size) {
    char* at = static_cast<char*>(bytes);
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = ::recv(handle, at + done, size - done, 0);
      if (n <= 0)
        return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  }

  static constexpr char greeting[8] = {'p', 'l', 'a', 'n', 'r', 'a', 'n', 'k'};
  const Place& place;
  Clock::time_point end;
};

} // namespace twin

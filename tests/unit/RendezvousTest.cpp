//===- RendezvousTest.cpp - How the NCCL program's ranks find one another ---------------------===//
#include "backends/nccl/source/Rendezvous.h"
#include <gtest/gtest.h>
#include <vector>
using twin::Place;
using twin::Rendezvous;

namespace {
/// Sets variables for one test and clears those that any launcher sets.
class Environment {
public:
  explicit Environment(const std::vector<std::pair<const char*, const char*>>& variables) {
    clear();
    for (const auto& [name, value] : variables)
      ::setenv(name, value, 1);
  }
  ~Environment() { clear(); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

private:
  static void clear() {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "LOCAL_RANK", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID",
          "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
          "MASTER_ADDR", "MASTER_PORT", "PLAN_PORT"})
      ::unsetenv(name);
  }
};

Place placeOf(long rank, long size, const std::string& port) {
  Place place;
  place.rank = rank;
  place.size = size;
  place.address = "127.0.0.1";
  place.port = port;
  return place;
}
/// A port that was free a moment ago.
std::string freePort() {
  const int handle = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t length = sizeof address;
  EXPECT_EQ(::bind(handle, reinterpret_cast<sockaddr*>(&address), length), 0);
  EXPECT_EQ(::getsockname(handle, reinterpret_cast<sockaddr*>(&address), &length), 0);
  ::close(handle);
  return std::to_string(ntohs(address.sin_port));
}
} // namespace

TEST(NcclPlace, ReadsTheVariablesOfEachLauncher) {
  {
    const Environment torchrun({{"RANK", "5"},
                                {"WORLD_SIZE", "16"},
                                {"LOCAL_RANK", "1"},
                                {"MASTER_ADDR", "node0"},
                                {"MASTER_PORT", "29500"}});
    const Place place = Place::find();
    EXPECT_EQ(place.error, "");
    EXPECT_EQ(place.rank, 5);
    EXPECT_EQ(place.size, 16);
    EXPECT_EQ(place.local, 1);
    EXPECT_EQ(place.address, "node0");
    EXPECT_EQ(place.port, "29501"); // torchrun itself has the other
  }
  const Environment slurm({{"SLURM_PROCID", "9"},
                           {"SLURM_NTASKS", "32"},
                           {"SLURM_LOCALID", "3"},
                           {"MASTER_ADDR", "n1"},
                           {"PLAN_PORT", "7000"}});
  const Place place = Place::find();
  EXPECT_EQ(place.rank, 9);
  EXPECT_EQ(place.size, 32);
  EXPECT_EQ(place.port, "7000");
}

TEST(NcclPlace, SaysWhatIsMissing) {
  {
    const Environment alone({});
    const Place place = Place::find();
    EXPECT_EQ(place.size, 1);
    EXPECT_EQ(place.error, "");
  }
  {
    const Environment half({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}});
    EXPECT_EQ(Place::find().error, "RANK is set, but LOCAL_RANK is not");
  }
  const Environment lost({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "0"}});
  EXPECT_EQ(Place::find().error, "MASTER_ADDR is not set: the host of rank 0");
}

TEST(NcclRendezvous, EveryRankGetsTheBytesOfRankZero) {
  const std::string port = freePort();
  std::vector<std::vector<char>> seen(5, std::vector<char>(128, 0));
  std::vector<std::string> errors(5);
  for (std::size_t i = 0; i < 128; ++i)
    seen[0][i] = static_cast<char>(i * 7);
  std::vector<std::thread> ranks;
  for (std::size_t r = 5; r-- > 0;) // rank 0 comes last: the others wait for it
    ranks.emplace_back([&, r] {
      const Place place = placeOf(static_cast<long>(r), 5, port);
      EXPECT_TRUE(Rendezvous(place, 20).share(seen[r].data(), 128, errors[r])) << errors[r];
    });
  // A stranger that connects and hangs up is not counted.
  const int stranger = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  (void)::connect(stranger, reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::close(stranger);
  for (std::thread& rank : ranks)
    rank.join();
  for (std::size_t r = 1; r < 5; ++r)
    EXPECT_EQ(seen[r], seen[0]) << r;
}

TEST(NcclRendezvous, SaysWhoDidNotCome) {
  const std::string port = freePort();
  char byte = 1;
  std::string error;
  const Place first = placeOf(0, 3, port), second = placeOf(1, 3, port);
  EXPECT_FALSE(Rendezvous(first, 0.5).share(&byte, 1, error));
  EXPECT_EQ(error, "2 of 2 ranks did not come to port " + port);
  EXPECT_FALSE(Rendezvous(second, 0.5).share(&byte, 1, error));
  EXPECT_EQ(error, "rank 0 does not answer at 127.0.0.1 port " + port);
}

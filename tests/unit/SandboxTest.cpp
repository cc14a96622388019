//===- SandboxTest.cpp - Launch scripts that attack who runs them -----------------------------===//
//
// What a script tries is tried outside, too, where that is harmless: an attack that fails
// everywhere would show nothing.
#include "support/diagnostics/Imports.h"
#include "tests/unit/SandboxRun.h"
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::test;

namespace {

/// What the script says outside.
std::string outside(const std::string& script) {
  const Folder folder;
  const std::string command = "bash " + folder.write("run.sh", script) + " > " +
                              (folder.path / "said").string() + " 2>&1 < /dev/null";
  (void)!std::system(command.c_str());
  return textOf(folder.path / "said");
}

/// A socket that takes connections, whoever comes.
class Listener {
public:
  Listener() : number(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    good = ::bind(number, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
           ::listen(number, 8) == 0 &&
           ::getsockname(number, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    port = ntohs(address.sin_port);
  }
  explicit Listener(const std::string& path) : number(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    good = ::bind(number, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
           ::listen(number, 8) == 0;
  }
  ~Listener() { ::close(number); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  bool good = false;
  unsigned port = 0;

private:
  int number;
};

} // namespace

TEST_F(Sandbox, Network_IsNotReached) {
  const Listener listener;
  ASSERT_TRUE(listener.good);
  const std::string attack = "exec 5<> /dev/tcp/127.0.0.1/" + std::to_string(listener.port) +
                             " && echo reached; echo done";
  EXPECT_THAT(outside(attack), HasSubstr("reached"));
  const ScriptResult out = run(attack);
  EXPECT_THAT(out.seen.output, HasSubstr("done"));
  EXPECT_THAT(out.seen.output, Not(HasSubstr("reached")));
}

TEST_F(Sandbox, Interfaces_AreNone) {
  const ScriptResult out =
      run("ip -o link 2>&1 | grep -v ' lo:' | grep -c UP; curl -m 2 http://192.0.2.1 "
          "&& echo reached; echo done");
  EXPECT_THAT(out.seen.output, HasSubstr("done"));
  EXPECT_THAT(out.seen.output, Not(HasSubstr("reached")));
}

TEST_F(Sandbox, FilesOfOthers_AreNotThere) {
  const Folder other;
  const std::string secret = other.write("secret", "the secret");
  const std::string attack = "cat " + secret + " /root/.bashrc \"$HOME\"/.ssh/* ~/.netrc; ls -d " +
                             "/home /root /run /var /mnt /sys /proc /opt /srv; echo /*";
  EXPECT_THAT(outside(attack), HasSubstr("the secret"));
  const ScriptResult out = run(attack);
  EXPECT_THAT(out.seen.output, Not(HasSubstr("the secret")));
  for (const char* const folder : {"/home", "/root", "/run", "/var", "/mnt", "/sys", "/proc"})
    EXPECT_THAT(out.seen.output, HasSubstr(std::string("cannot access '") + folder + "'"));
  EXPECT_THAT(out.seen.output, HasSubstr("/bin /dev /etc /lib"));
  EXPECT_THAT(out.seen.output, HasSubstr("/script /stand-ins /tmp /usr\n"));
}

TEST_F(Sandbox, Environment_IsWhatWasDefined) {
  ::setenv("DPL_SECRET", "the secret", 1);
  ::setenv("SSH_AUTH_SOCK", "/tmp/agent", 1);
  sandbox::ScriptRun with;
  with.environment = {{"NODES", "4"}, {"PATH", "/nowhere"}};
  const std::string attack = "env || export -p; cat /proc/self/environ /proc/1/environ "
                             "/proc/[0-9]*/environ; echo ${DPL_SECRET}";
  EXPECT_THAT(outside(attack), HasSubstr("the secret"));
  const ScriptResult out = run(attack, with);
  ::unsetenv("DPL_SECRET"), ::unsetenv("SSH_AUTH_SOCK");
  EXPECT_THAT(out.seen.output, HasSubstr("NODES=\"4\""));
  EXPECT_THAT(out.seen.output, HasSubstr("PATH=\"/stand-ins:/nowhere\""));
  EXPECT_THAT(out.seen.output, Not(HasSubstr("the secret")));
  EXPECT_THAT(out.seen.output, Not(HasSubstr("SSH_AUTH_SOCK")));
}

TEST_F(Sandbox, SocketsOfServices_AreNotThere) {
  const Folder other;
  (void)::chmod(other.path.c_str(), 0777);
  const std::string path = (other.path / "agent").string(), hidden = std::string(1, '\0') + path;
  const Listener named(path);
  ASSERT_TRUE(named.good);
  (void)::chmod(path.c_str(), 0777);
  const std::string attack =
      "for s in " + path +
      " /var/run/docker.sock /run/docker.sock /run/munge/munge.socket.2 "
      "/run/dbus/system_bus_socket; do [ -e $s ] && echo $s is there; done; echo done";
  EXPECT_THAT(outside(attack), HasSubstr(path + " is there"));
  const ScriptResult out = run(attack);
  EXPECT_EQ(out.seen.output, "done\n");
}

TEST_F(Sandbox, AbstractSockets_AreNotReached) {
  if (!fs::exists("/usr/bin/python3"))
    GTEST_SKIP() << "needs /usr/bin/python3";
  const int number = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "dpl-sandbox-" + std::to_string(::getpid());
  name.copy(address.sun_path + 1, sizeof address.sun_path - 2);
  const socklen_t size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  ASSERT_EQ(::bind(number, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(number, 8), 0);
  const std::string attack =
      "/usr/bin/python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); "
      "s.connect(\"\\0" +
      name + "\"); print(\"reached\")'; echo done";
  EXPECT_THAT(outside(attack), HasSubstr("reached"));
  const ScriptResult out = run(attack);
  ::close(number);
  EXPECT_THAT(out.seen.output, HasSubstr("done"));
  EXPECT_THAT(out.seen.output, Not(HasSubstr("reached")));
}

TEST_F(Sandbox, Devices_AreThree) {
  const ScriptResult out =
      run("echo /dev/*; mknod /tmp/d c 1 1 && echo made; mknod /tmp/m b 8 0 && echo "
          "made; exec 5<> /dev/tty && echo terminal; echo done");
  EXPECT_THAT(out.seen.output, HasSubstr("/dev/null /dev/urandom /dev/zero\n"));
  EXPECT_THAT(out.seen.output, Not(HasSubstr("made")));
  EXPECT_THAT(out.seen.output, Not(HasSubstr("terminal\n")));
}

TEST_F(Sandbox, Terminal_GetsNoOrders) {
  const ScriptResult out =
      run("printf '\\033]0;title\\007\\033[6n\\233\\x90 \\xe2\\x80\\xae end\\n'; "
          "/usr/bin/python3 -c 'import fcntl, termios\nfor f in 0, 1, 2:\n"
          "  try: fcntl.ioctl(f, termios.TIOCSTI, \"x\"); print(\"injected\")\n"
          "  except OSError: pass'");
  EXPECT_THAT(out.seen.output, Not(HasSubstr("injected")));
  const std::string shown = sandbox::lastWords(out.seen.output);
  EXPECT_THAT(shown, HasSubstr("title"));
  for (const char c : shown)
    EXPECT_FALSE((static_cast<unsigned char>(c) < ' ' && c != '\n') || c == '\x7f') << shown;
  EXPECT_THAT(shown, Not(HasSubstr("\xe2\x80\xae")));
}

TEST_F(Sandbox, Rights_AreNone) {
  const ScriptResult out =
      run("mount -t tmpfs none /tmp && echo mounted; mount -o remount,rw /script && echo mounted; "
          "unshare -Ur true && echo unshared; chroot /tmp true && echo rooted; "
          "ulimit -u 4000 2>&1 && echo raised; ulimit -v unlimited && echo raised; "
          "hostname other && echo named; su -c true && echo su; echo done");
  EXPECT_THAT(out.seen.output, HasSubstr("done"));
  for (const char* const word : {"mounted\n", "unshared\n", "rooted\n", "raised\n", "named\n"})
    EXPECT_THAT(out.seen.output, Not(HasSubstr(word)));
}

TEST_F(Sandbox, WhatTheScriptMakes_IsMadeInMemory) {
  const Folder folder;
  fs::create_directory(folder.path / "sub");
  (void)folder.write("sub/data", "kept");
  const std::string script = folder.write(
      "run.sh", "set -e\nmkdir -p logs /scratch/a/b\ncd /scratch/a/b\ncd /script\n"
                "echo 'torchrun pretrain_gpt.py --made' > logs/made.sh\nbash logs/made.sh > "
                "logs/out\n! mkdir sub/x\n! ln sub/data logs/hard\n! mv sub logs\n"
                "! echo x > sub/data\n! echo x > run.sh\n! mv /usr /stand-ins /dev /script\n"
                "rm -rf logs/* sub run.sh /stand-ins /scratch || echo done\n");
  const ScriptResult out = runAt(script);
  EXPECT_EQ(out.commands, "torchrun pretrain_gpt.py --made\n") << out.seen.output;
  EXPECT_THAT(out.seen.output, HasSubstr("done"));
  EXPECT_EQ(textOf(folder.path / "sub/data"), "kept");
  EXPECT_FALSE(fs::exists(folder.path / "logs"));
  EXPECT_FALSE(fs::exists(folder.path / "sub/x"));
  EXPECT_FALSE(fs::exists("/scratch/a/b"));
}

TEST_F(Sandbox, NamesInTheFolder_AreNames) {
  const Folder folder;
  const std::string script =
      folder.write("run.sh", "cat -- --bind $'a\\nb' '--size 1' x; mkdir made && echo made");
  for (const char* const name : {"--bind", "a\nb", "--size 1"})
    (void)folder.write(name, std::string("is ") + name + "\n");
  fs::create_symlink("--tmpfs", folder.path / "x");
  const std::string read = "is --bind\nis a\nb\nis --size 1\ncat: x: No such file or directory\n";
  EXPECT_EQ(runAt(script).seen.output, read + "made\n");
  for (int i = 0; i < 300; ++i) // more than get a mount each
    (void)folder.write("data" + std::to_string(i), "");
  EXPECT_EQ(runAt(script).seen.output,
            read + "mkdir: cannot create directory 'made': Read-only file system\n");
}

TEST_F(Sandbox, SymlinksOutOfTheFolder_LeadNowhere) {
  const Folder folder, other;
  (void)other.write("secret", "the secret");
  fs::create_symlink(other.path, folder.path / "link");
  fs::create_symlink(other.path / "secret", folder.path / "file");
  const std::string script =
      folder.write("run.sh", "cd /script; cat link/secret file ../*/secret; echo done");
  const ScriptResult out = runAt(script);
  EXPECT_THAT(out.seen.output, Not(HasSubstr("the secret")));
  EXPECT_THAT(out.seen.output, HasSubstr("done"));
}

TEST_F(Sandbox, Removal_RemovesNothing) {
  const Folder folder;
  (void)folder.write("data", "kept");
  const std::string script = folder.write(
      "run.sh", "rm -rf /usr/bin /bin/ /etc 2> /dev/null; rm -rf /script ~; cd /script && rm -f *; "
                "mv data other; echo x > data; chmod 0 data; touch data; echo done");
  const ScriptResult out = runAt(script);
  EXPECT_THAT(out.seen.output, HasSubstr("done"));
  EXPECT_EQ(textOf(folder.path / "data"), "kept");
  EXPECT_TRUE(fs::exists(script));
  EXPECT_TRUE(fs::exists("/usr/bin/env"));
}

TEST_F(Sandbox, Kill_ReachesNobodyElse) {
  const pid_t victim = ::fork();
  if (victim == 0) {
    ::pause();
    ::_exit(0);
  }
  // Any user's process would do; nobody's is one that a script of root could reach.
  const std::string all = "kill -9 " + std::to_string(victim) + " && echo killed; kill -9 " +
                          std::to_string(::getpid()) + " && echo killed; kill -9 -1; echo done";
  const ScriptResult out = run(all);
  EXPECT_THAT(out.seen.output, Not(HasSubstr("killed")));
  EXPECT_EQ(::waitpid(victim, nullptr, WNOHANG), 0);
  EXPECT_THAT(outside("kill -9 " + std::to_string(victim) + " && echo killed"),
              HasSubstr("killed"));
  (void)::waitpid(victim, nullptr, 0);
}

TEST_F(Sandbox, ForgedRecords_AreNoRecords) {
  const auto forged = [](const std::string& bytes) {
    return run("printf '" + bytes + "' >&200").messages;
  };
  const std::string none = "not a record";
  for (const char* const bytes :
       {"x", "1 . x\\n", "1 .\\n", "1 ? \\ta\\n", " . \\ta\\n", "1 . \\ta\\\\x\\n",
        "1 . \\ta\\033b\\n", "1 + \\ta\\n", "1 . \\ta\\\\", "1 . \\t\\377\\n",
        "99999999999 . \\ta\\n", "1 . \\ta"})
    EXPECT_THAT(forged(bytes), HasSubstr(none)) << bytes;
  EXPECT_EQ(forged("1 . \\ttorchrun\\n"), "");
  EXPECT_EQ(run("printf '1 . \\t$(touch /x)\\ta\\\\nb\\n' >&200").commands,
            "'$(touch /x)' 'a\nb'\n");
}

TEST_F(Sandbox, Launchers_AreWrittenDown) {
  const ScriptResult out = run(
      "export MASTER=node7\n"
      "srun -N 4 --container-image a#b bash -c 'numactl -l torchrun --rdzv $MASTER a.py "
      "\"it'\\''s\"'\n"
      "for host in a b c; do ssh -p 22 $host \"cd /; torchrun --node_rank=$((i++)) b.py x\" & "
      "done\n"
      "docker run --rm -v /a:/b image python3 -u c.py\nmpirun -np 8 ./inner.sh\n"
      "deepspeed d.py & accelerate launch e.py; module load x; conda run -n mine python -m f.g\n"
      "python -c 'print(\"twice\")'; sbatch job.sh; sudo -E /opt/conda/bin/torchrun h.py\n"
      "torchrun i.py $(printf 'x%.0s' {1..9000})\n");
  EXPECT_THAT(out.commands,
              HasSubstr("srun -N 4 --container-image 'a#b' numactl -l torchrun --rdzv node7 a.py "
                        "'it'\\''s'\n"));
  EXPECT_THAT(out.commands, HasSubstr("\ntorchrun b.py x\n"));
  EXPECT_EQ(out.commands.find("b.py"), out.commands.rfind("b.py")) << out.commands;
  EXPECT_THAT(out.commands, HasSubstr("docker run --rm -v /a:/b image python3 -u c.py\n"));
  EXPECT_THAT(out.commands, HasSubstr("\ndeepspeed d.py\n"));
  EXPECT_THAT(out.commands, HasSubstr("accelerate launch e.py\n"));
  EXPECT_THAT(out.commands, HasSubstr("conda run -n mine python -m f.g\n"));
  EXPECT_THAT(out.commands, HasSubstr("sbatch job.sh\n"));
  EXPECT_THAT(out.commands, HasSubstr("sudo -E torchrun h.py\n"));
  EXPECT_THAT(out.commands, HasSubstr("torchrun i.py " + std::string(9000, 'x') + "\n"));
  EXPECT_THAT(out.seen.output, HasSubstr("twice"));
}

TEST_F(Sandbox, QueuedJobs_BeginOnce) {
  const std::string itself = "if [ -z $SLURM_JOB_ID ]; then id=$(sbatch -N 4 \"$0\" x); exit; fi\n"
                             "sbatch again.sh\ntorchrun a.py $1 $SLURM_SUBMIT_DIR\n";
  EXPECT_EQ(run(itself).commands, "torchrun a.py x /script\n");
  EXPECT_EQ(run("sbatch --nodes 2 <<EOF\n#SBATCH -N 2\nsrun python b.py\nEOF\n"
                "sbatch --wrap='torchrun c.py'\n")
                .commands,
            "srun python b.py\ntorchrun c.py\n");
}

TEST_F(Sandbox, OutputOfWhatDoesNotRun_IsNotUsed) {
  EXPECT_THAT(run("N=$(python3 tools/count.py); torchrun pretrain_gpt.py --num-layers $N").messages,
              HasSubstr("it reads what `python3 tools/count.py` prints, which is not run"));
  EXPECT_EQ(run("torchrun pretrain_gpt.py --num-layers 8 | tee log").messages, "");
}

TEST(SandboxRefusal, WithoutBubblewrap) {
  const std::string before = std::getenv("PATH") ? std::getenv("PATH") : "";
  const Folder empty;
  ::setenv("PATH", empty.path.c_str(), 1);
  const ScriptResult out = run("echo here");
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_FALSE(out.ran);
  EXPECT_THAT(out.messages, HasSubstr("DPL0818"));
  EXPECT_THAT(out.messages, HasSubstr("is not installed"));
}

TEST(SandboxRefusal, WhereBubblewrapCannot) {
  const std::string before = std::getenv("PATH") ? std::getenv("PATH") : "";
  const Folder folder;
  (void)::chmod(folder.write("bwrap", "#!/bin/sh\necho 'no namespaces here' >&2\nexit 1\n").c_str(),
                0755);
  ::setenv("PATH", folder.path.c_str(), 1);
  const ScriptResult out = run("echo here");
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_FALSE(out.ran);
  EXPECT_THAT(out.messages, HasSubstr("is not run: bubblewrap says: no namespaces here"));
}

TEST(SandboxRefusal, WhereALimitCannotBeSet) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit few{100, 100}; // descriptors above 200 are out of reach
    (void)::setrlimit(RLIMIT_NOFILE, &few);
    const ScriptResult out = run("echo here");
    ::_exit(!out.ran && out.messages.find("DPL0818") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  (void)::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// A device on a mount that allows none is there and cannot be opened, as one of another's is.
TEST_F(Sandbox, DevicesThatCannotBeOpened_AreRefused) {
  const std::string before = std::getenv("PATH");
  for (const std::string device : {"null", "urandom"}) {
    const Folder folder;
    const std::string call = "#!/bin/bash\nPATH=" + before +
                             "\nwords=()\nwhile (($#)); do\n  [[ $1$2 == --dev-bind/dev/" + device +
                             " ]] && words+=(--bind) || words+=(\"$1\")\n  shift\ndone\n"
                             "exec bwrap \"${words[@]}\"\n";
    (void)::chmod(folder.write("bwrap", call).c_str(), 0755);
    ::setenv("PATH", (folder.path.string() + ":" + before).c_str(), 1);
    const ScriptResult out = run("[[ -n $(ls 2> /dev/null) ]] && torchrun pretrain_gpt.py");
    ::setenv("PATH", before.c_str(), 1);
    EXPECT_FALSE(out.ran) << out.commands;
    EXPECT_THAT(out.messages, HasSubstr("DPL0818"));
    EXPECT_THAT(out.messages, HasSubstr("/dev/" + device + " cannot be read"));
  }
}

TEST(SandboxRefusal, OfSharedFolders) {
  for (const char* const path : {"/run.sh", "/tmp/run.sh", "/var/tmp/run.sh", "/usr/bin/run.sh"})
    EXPECT_THAT(runAt(path).messages, HasSubstr("all of its folder would be visible")) << path;
  const Folder folder;
  const std::string before = std::getenv("HOME") ? std::getenv("HOME") : "";
  ::setenv("HOME", folder.path.c_str(), 1);
  const ScriptResult home = runAt(folder.write("run.sh", "echo here"));
  ::setenv("HOME", before.c_str(), 1);
  EXPECT_THAT(home.messages, HasSubstr("all of its folder would be visible"));
}

TEST(SandboxRefusal, OfAFolderWithASocket) {
  const Folder folder;
  fs::create_directory(folder.path / "deep");
  const Listener agent((folder.path / "deep/agent").string());
  ASSERT_TRUE(agent.good);
  const ScriptResult out = runAt(folder.write("run.sh", "echo here"));
  EXPECT_FALSE(out.ran);
  EXPECT_THAT(out.messages, HasSubstr("its folder holds `deep/agent`"));
}

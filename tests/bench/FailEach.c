// FailEach.c - Makes each allocation of a program fail once, each in a process of its own.
//
// Preloaded into a program that uses one thread. Before an allocation it forks: the child gets no
// memory for this one allocation, and the parent waits, judges how the child ended, and goes on as
// if nothing had happened. FAIL_EVERY=N tries every N-th, FAIL_REPORT names the file that gets a
// line for each child that ended wrongly, and a last one with counts. FAIL_ONLY=N forks nothing: the
// N-th allocation of the program itself fails.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

static pid_t watched;
static int report = -1, said = -1, quiet = -1;
static unsigned long every = 1, only, count, tried, ended[4];

__attribute__((constructor)) static void begin(void) {
  const char* step = getenv("FAIL_EVERY");
  const char* path = getenv("FAIL_REPORT");
  const char* one = getenv("FAIL_ONLY");
  only = one ? strtoul(one, NULL, 10) : 0;
  if (only > 0)
    watched = getpid();
  if (!path || only > 0)
    return;
  every = step ? strtoul(step, NULL, 10) : 1;
  report = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  said = memfd_create("said", MFD_CLOEXEC);
  quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
  watched = getpid(); // processes that the program starts are not watched
}

/// The number of error messages that the child wrote.
static int errorsIn(const char* text) {
  int found = 0;
  for (const char* at = text; (at = strstr(at, "error[DPL")) != NULL; ++at)
    found += at == text || at[-1] == '\n';
  return found;
}

static void judge(int status) {
  char text[2048] = "";
  if (pread(said, text, sizeof text - 1, 0) < 0)
    text[0] = '\0';
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code >= 0 && code <= 3)
    ++ended[code];
  // The program may go on if it can do without the memory.
  if ((code == 3 && errorsIn(text) == 1) || (code >= 0 && code < 3))
    return;
  dprintf(report, "allocation %lu: status %d: %.300s\n", count, status, text);
}

/// Decides whether this allocation fails.
static int fails(void) {
  if (watched == 0 || getpid() != watched || (++count % every != 0 && only == 0))
    return 0;
  if (only > 0) {
    errno = count == only ? ENOMEM : errno;
    return count == only;
  }
  const int before = errno;
  ++tried;
  const pid_t child = fork();
  if (child == 0) {
    watched = 0;
    if (ftruncate(said, 0) != 0 || lseek(said, 0, SEEK_SET) != 0)
      _exit(9);
    dup2(quiet, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    alarm(20);
    errno = ENOMEM;
    return 1;
  }
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  judge(status);
  errno = before;
  return 0;
}

void* malloc(size_t bytes) { return fails() ? NULL : __libc_malloc(bytes); }
void* calloc(size_t n, size_t bytes) { return fails() ? NULL : __libc_calloc(n, bytes); }
void* realloc(void* old, size_t bytes) { return fails() ? NULL : __libc_realloc(old, bytes); }
void* memalign(size_t to, size_t bytes) { return fails() ? NULL : __libc_memalign(to, bytes); }
void* aligned_alloc(size_t to, size_t bytes) { return memalign(to, bytes); }
int posix_memalign(void** out, size_t to, size_t bytes) {
  void* made = memalign(to, bytes);
  if (!made)
    return ENOMEM;
  *out = made;
  return 0;
}

__attribute__((destructor)) static void end(void) {
  if (watched != 0 && getpid() == watched && only == 0)
    dprintf(report, "end: %lu allocations, %lu tried, exit codes 0: %lu, 1: %lu, 2: %lu, 3: %lu\n",
            count, tried, ended[0], ended[1], ended[2], ended[3]);
}

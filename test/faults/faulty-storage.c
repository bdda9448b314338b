/*
 * Stands between a program and its storage (LD_PRELOAD): what the file FAULTY_CONTROL says happens to its calls.
 * Without such a file everything goes through.
 *
 * It holds "CALL ACTION EVERY NAME": CALL is write or sync; ACTION the number of an error, `kill` (dies instead of
 * the call) or `kill-after` (dies when it is done); EVERY how many calls there are for one that is hit; NAME
 * the name of the files, or what comes before a `*`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int concerns(int fd, const char *wanted) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  size_t size = strlen(wanted);
  const char *name = strrchr(path, '/');
  name = name == NULL ? path : name + 1;
  return wanted[size - 1] == '*' ? strncmp(name, wanted, size - 1) == 0 : strcmp(name, wanted) == 0;
}

/* 0 where the call goes through, -1 where the process dies after it, otherwise the error. */
static int fault(const char *call, int fd) {
  static int seen = 0;
  char name[16], action[16], wanted[64];
  int every = 1;
  const char *control = getenv("FAULTY_CONTROL");
  FILE *file = control == NULL ? NULL : fopen(control, "re");
  if (file == NULL) return 0;
  int read = fscanf(file, "%15s %15s %d %63s", name, action, &every, wanted);
  fclose(file);
  if (read != 4 || strcmp(name, call) != 0 || !concerns(fd, wanted) || ++seen % every != 0) return 0;
  if (strcmp(action, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(action, "kill-after") == 0) return -1;
  return atoi(action);
}

#define PASS(type, name, call, fd, parameters, values)                       \
  type name parameters {                                                     \
    static type (*real) parameters;                                          \
    if (real == NULL) real = (type(*) parameters)dlsym(RTLD_NEXT, #name);    \
    int error = fault(call, fd);                                             \
    if (error > 0) {                                                         \
      errno = error;                                                         \
      return -1;                                                             \
    }                                                                        \
    type result = real values;                                               \
    if (error < 0) kill(getpid(), SIGKILL);                                  \
    return result;                                                           \
  }

PASS(ssize_t, pwrite, "write", fd, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
PASS(ssize_t, pwrite64, "write", fd, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at))
PASS(int, fdatasync, "sync", fd, (int fd), (fd))
PASS(int, fsync, "sync", fd, (int fd), (fd))

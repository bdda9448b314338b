/*
 * Makes writes and syncs of a program fail (LD_PRELOAD), as the file named by FAULTY_CONTROL says. If that file does
 * not exist, no call fails.
 *
 * The file contains "CALL ACTION EVERY NAME". CALL: write or sync. ACTION: an errno, `kill` (the process is killed
 * before the call) or `kill-after` (after it). EVERY: 37 means every 37th call. NAME: the name of a file, or a prefix
 * and `*`.
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

static int matches(int fd, const char *wanted) {
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

/* 0 if the call is to succeed, -1 if the process is killed after it, otherwise the errno. */
static int fault(const char *call, int fd) {
  static int seen = 0;
  char name[16], action[16], wanted[64];
  int every = 1;
  const char *control = getenv("FAULTY_CONTROL");
  FILE *file = control == NULL ? NULL : fopen(control, "re");
  if (file == NULL) return 0;
  int read = fscanf(file, "%15s %15s %d %63s", name, action, &every, wanted);
  fclose(file);
  if (read != 4 || strcmp(name, call) != 0 || !matches(fd, wanted) || ++seen % every != 0) return 0;
  if (strcmp(action, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(action, "kill-after") == 0) return -1;
  return atoi(action);
}

#define WRAP(type, name, call, fd, parameters, values)                       \
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

WRAP(ssize_t, write, "write", fd, (int fd, const void *bytes, size_t size), (fd, bytes, size))
WRAP(ssize_t, pwrite, "write", fd, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
WRAP(ssize_t, pwrite64, "write", fd, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at))
WRAP(int, fdatasync, "sync", fd, (int fd), (fd))
WRAP(int, fsync, "sync", fd, (int fd), (fd))

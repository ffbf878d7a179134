/* Makes each sync of a process take 5 ms more, as on a plain disk: LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static void wait_5_ms(void) {
  struct timespec pause = {0, 5000000};
  nanosleep(&pause, 0);
}

int fsync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_5_ms();
  return real(fd);
}

int fdatasync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_5_ms();
  return real(fd);
}

/*
 * For LD_PRELOAD: lets system calls of the socket layer fail now and then, by a seed.
 *
 *   FAULTS_SEED   of the random numbers; default 1
 *   FAULTS_RATE   harmless failures in 1000 calls (EINTR, EAGAIN, ENOBUFS, short reads and writes); default 100
 *   FAULTS_FATAL  failures in 100000 calls that end a connection; default 100
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static uint64_t state, rate, fatal_rate;

static uint64_t from_environment(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

__attribute__((constructor)) static void begin(void) {
  state = from_environment("FAULTS_SEED", 1) * 6364136223846793005ULL + 1442695040888963407ULL;
  rate = from_environment("FAULTS_RATE", 100);
  fatal_rate = from_environment("FAULTS_FATAL", 100);
}

static uint64_t any(uint64_t below) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (state * 2685821657736338717ULL >> 16) % below;
}

/* Returns one of the errors, or 0: the call is made. */
static int harmless(const int *errors, uint64_t count) { return any(1000) < rate ? errors[any(count)] : 0; }
static int fatal(const int *errors, uint64_t count) { return any(100000) < fatal_rate ? errors[any(count)] : 0; }

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int send_failure(void) {
  static const int harmless_errors[] = {EINTR, EAGAIN, ENOBUFS};
  static const int fatal_errors[] = {EPIPE, ECONNRESET, ENOMEM};
  int error = fatal(fatal_errors, COUNT(fatal_errors));
  return error != 0 ? error : harmless(harmless_errors, COUNT(harmless_errors));
}

static size_t shorter(size_t length) { return length > 1 && any(1000) < rate ? any(length - 1) + 1 : length; }

ssize_t send(int descriptor, const void *octets, size_t length, int flags) {
  int error = send_failure();
  if (error == 0) return REAL(send)(descriptor, octets, shorter(length), flags);
  errno = error;
  return -1;
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
  int error = send_failure();
  if (error == 0) {
    /* A short write: the first buffers only, the last of them in part. */
    struct msghdr less = *message;
    struct iovec vector[1024];
    if (any(1000) >= rate || less.msg_iovlen > 1024 || less.msg_iovlen == 0) {
      return REAL(sendmsg)(descriptor, message, flags);
    }
    less.msg_iovlen = any(less.msg_iovlen) + 1;
    for (size_t i = 0; i < less.msg_iovlen; i++) vector[i] = less.msg_iov[i];
    vector[less.msg_iovlen - 1].iov_len = shorter(vector[less.msg_iovlen - 1].iov_len);
    less.msg_iov = vector;
    return REAL(sendmsg)(descriptor, &less, flags);
  }
  errno = error;
  return -1;
}

ssize_t recv(int descriptor, void *octets, size_t length, int flags) {
  static const int harmless_errors[] = {EINTR, EAGAIN};
  static const int fatal_errors[] = {ECONNRESET, ETIMEDOUT};
  int error = fatal(fatal_errors, COUNT(fatal_errors));
  if (error == 0) error = harmless(harmless_errors, COUNT(harmless_errors));
  if (error == 0) return REAL(recv)(descriptor, octets, shorter(length), flags);
  errno = error;
  return -1;
}

int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
  static const int errors[] = {EINTR, EAGAIN, ECONNABORTED, EMFILE, ENFILE};
  static const int rare_errors[] = {ENOBUFS, ENOMEM};
  int error = fatal(rare_errors, COUNT(rare_errors));
  if (error == 0) error = harmless(errors, COUNT(errors));
  if (error == 0) return REAL(accept4)(descriptor, address, length, flags);
  errno = error;
  return -1;
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  static const int errors[] = {ECONNREFUSED, EADDRNOTAVAIL, EAGAIN};
  static const int interrupted[] = {EINTR};
  int error = fatal(errors, COUNT(errors));
  if (error != 0) {
    errno = error;
    return -1;
  }
  int result = REAL(connect)(descriptor, address, length);
  /* The kernel goes on with the connection. */
  if (result < 0 && errno == EINPROGRESS && harmless(interrupted, 1) != 0) errno = EINTR;
  return result;
}

int epoll_ctl(int epoll, int operation, int descriptor, struct epoll_event *event) {
  static const int errors[] = {ENOMEM, ENOSPC};
  int error = operation == EPOLL_CTL_DEL ? 0 : fatal(errors, COUNT(errors));
  if (error == 0) return REAL(epoll_ctl)(epoll, operation, descriptor, event);
  errno = error;
  return -1;
}

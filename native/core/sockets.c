/* See sockets.h for what this does, and ../README.md for the ideas behind it. */
#define _GNU_SOURCE
#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
  READ_SHARE = 64 * 1024,    /* octets that one socket may read in a turn */
  ACCEPTS_PER_TURN = 64,     /* connections that one listener accepts in a turn */
  MIN_ROOM = 4096,           /* octets of arena below which gathering stops */
  MIN_ROOM_ROWS = 4,         /* one socket makes at most this many rows in a turn */
  READY_LIMIT = 1024,        /* sockets that one epoll_wait reports */
  JOINED = 64,               /* buffers that one sendmsg sends */
  CHUNK = 4096 - 32,         /* smallest room of a chunk in a queue, so that small writes share one */
  ACCEPT_PAUSE_MS = 100,     /* how long a listener rests when a connection can be neither accepted nor dropped */
  KEEP_ALIVE_IDLE_S = 60,
  FIRST_SLOTS = 64,
  MAX_LISTENERS = 4096,
};

/*
 * What is known of a socket. While it owes an error it keeps its queue: an empty queue means that the kernel has all
 * that was written.
 */
enum {
  USED = 1 << 0,
  CONNECTING = 1 << 1,
  PAUSED = 1 << 2,
  READ_ENDED = 1 << 3,        /* recv returned 0 */
  WRITE_ENDED = 1 << 4,       /* shutdown was asked for: it follows the last queued octet */
  WRITE_FAILED = 1 << 5,      /* `error` says why; reading goes on */
  OWES_WRITE_ERROR = 1 << 6,  /* an ERROR event follows once everything that had arrived was read */
  OWES_ERROR = 1 << 7,        /* epoll refused the socket: an ERROR event follows in the next turn */
  FAILED = 1 << 8,            /* an ERROR event was given: nothing happens any more until it is closed */
  UNSETTLED = 1 << 9,         /* the slot is in the list of sockets whose interest may have changed */
};

/* A piece of a queue. The octets from `begin` to `end` are still to be sent. */
typedef struct chunk {
  struct chunk *next;
  size_t begin, end, capacity;
  uint8_t octets[];
} chunk;

typedef struct {
  int descriptor;
  int32_t generation;
  uint32_t interest;      /* what epoll watches: 0 if the socket is not in its set */
  uint32_t read_turn;     /* the turn in which it was last read */
  uint32_t refused_batch; /* the batch in which a row of it was refused */
  int32_t next_free;
  int error;
  uint16_t flags;
  size_t queued;
  chunk *first, *last;
  uint64_t bytes_read, bytes_written;
} slot;

typedef struct {
  int descriptor; /* -1: free */
  bool is_watched;
  int64_t resume_at; /* ms; 0: it is not resting */
} listener;

struct sockets {
  int epoll;
  int timer;   /* wakes the epoll instance for listeners that rest and for owed errors */
  int reserve; /* a descriptor to give up when the process has no more */
  int64_t wake_at;
  bool is_in_turn, owes_errors;
  uint32_t turn, batch;
  size_t max_queued;

  slot *slots;
  int32_t *unsettled; /* one entry for each slot: none is in it twice */
  int32_t slot_count, unsettled_count;
  int32_t first_free, last_free;
  listener *listeners;
  int32_t listener_count;
  sockets_stats stats;

  /* What epoll reported. A turn that ends early leaves the rest for the next: the starved come first. */
  struct epoll_event ready[READY_LIMIT];
  int ready_next, ready_count;

  /* Where this turn's events go. */
  uint8_t *arena;
  size_t arena_length, arena_used;
  int32_t *rows;
  size_t row_limit, row_count;
};

/* What epoll gives back for a ready descriptor. Generations are positive, so the highest bit is free. */
static const uint64_t LISTENER_BIT = (uint64_t)1 << 63;
static const uint64_t TIMER_ID = UINT64_MAX;

static uint64_t socket_id(int32_t index, int32_t generation) {
  return (uint64_t)(uint32_t)generation << 32 | (uint32_t)index;
}

static slot *find(const sockets *layer, int32_t index, int32_t generation) {
  if (index < 0 || index >= layer->slot_count) return NULL;
  slot *socket = &layer->slots[index];
  return socket->flags & USED && socket->generation == generation ? socket : NULL;
}

static int32_t index_of(const sockets *layer, const slot *socket) { return (int32_t)(socket - layer->slots); }

/* ---- events ---- */

static bool has_room(const sockets *layer) {
  return layer->arena_length - layer->arena_used >= MIN_ROOM && layer->row_limit - layer->row_count >= MIN_ROOM_ROWS;
}

static void put_row(sockets *layer, const int32_t row[SOCKETS_ROW]) {
  memcpy(layer->rows + layer->row_count++ * SOCKETS_ROW, row, sizeof(int32_t) * SOCKETS_ROW);
}

static void put(sockets *layer, const slot *socket, int32_t type, int32_t offset, int32_t length, int32_t value) {
  put_row(layer, (int32_t[]){type, index_of(layer, socket), socket->generation, offset, length, value, 0, 0});
}

static void put_accept_failed(sockets *layer, int32_t index, int error) {
  put_row(layer, (int32_t[]){SOCKETS_ACCEPT_FAILED, -1, 0, 0, 0, error, index, 0});
}

/* ---- the timer ---- */

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Makes the epoll instance ready at that time, or before. A time in the past means at once. */
static void wake_at(sockets *layer, int64_t at) {
  if (layer->wake_at != 0 && layer->wake_at <= at) return;
  layer->wake_at = at;
  struct itimerspec timer = {.it_value = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000}};
  timerfd_settime(layer->timer, TFD_TIMER_ABSTIME, &timer, NULL);
}

/* ---- what epoll watches ---- */

static uint32_t wanted_interest(const slot *socket) {
  if (!(socket->flags & USED) || socket->flags & (FAILED | OWES_ERROR)) return 0;
  if (socket->flags & CONNECTING) return EPOLLOUT;
  uint32_t wanted = socket->flags & (PAUSED | READ_ENDED) ? 0 : EPOLLIN;
  if (socket->queued > 0 || socket->flags & OWES_WRITE_ERROR) wanted |= EPOLLOUT;
  return wanted;
}

static void drop_queue(sockets *layer, slot *socket) {
  while (socket->first != NULL) {
    chunk *next = socket->first->next;
    free(socket->first);
    socket->first = next;
  }
  socket->last = NULL;
  layer->stats.queued_octets -= socket->queued;
  socket->queued = 0;
}

static void apply_interest(sockets *layer, slot *socket) {
  uint32_t wanted = wanted_interest(socket);
  if (wanted == socket->interest) return;
  int operation = socket->interest == 0 ? EPOLL_CTL_ADD : wanted == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
  struct epoll_event event = {.events = wanted, .data.u64 = socket_id(index_of(layer, socket), socket->generation)};
  if (epoll_ctl(layer->epoll, operation, socket->descriptor, &event) == 0 || operation == EPOLL_CTL_DEL) {
    socket->interest = wanted;
    return;
  }
  /* No memory, or the limit of watched descriptors: the socket would never be heard of again. */
  socket->error = errno;
  if (socket->interest != 0) epoll_ctl(layer->epoll, EPOLL_CTL_DEL, socket->descriptor, NULL);
  socket->interest = 0;
  socket->flags |= WRITE_FAILED | OWES_ERROR;
  layer->owes_errors = true;
  wake_at(layer, now_ms());
}

/*
 * To be called whenever wanted_interest may have changed. Within a turn epoll hears of it at the end: a
 * connection that is accepted, answered and closed in one turn never enters its set.
 */
static void settle(sockets *layer, slot *socket) {
  if (!layer->is_in_turn) {
    apply_interest(layer, socket);
  } else if (!(socket->flags & UNSETTLED)) {
    socket->flags |= UNSETTLED;
    layer->unsettled[layer->unsettled_count++] = index_of(layer, socket);
  }
}

void sockets_end_turn(sockets *layer) {
  layer->is_in_turn = false;
  for (int32_t i = 0; i < layer->unsettled_count; i++) {
    slot *socket = &layer->slots[layer->unsettled[i]];
    socket->flags &= (uint16_t)~UNSETTLED;
    if (socket->flags & USED) apply_interest(layer, socket);
  }
  layer->unsettled_count = 0;
}

/* ---- slots ---- */

static int grow(sockets *layer) {
  if (layer->slot_count >= SOCKETS_MAX_SLOTS) return -EMFILE;
  int32_t count = layer->slot_count == 0 ? FIRST_SLOTS : layer->slot_count * 2;
  slot *slots = realloc(layer->slots, sizeof(slot) * (size_t)count);
  if (slots == NULL) return -ENOMEM;
  layer->slots = slots;
  int32_t *unsettled = realloc(layer->unsettled, sizeof(int32_t) * (size_t)count);
  if (unsettled == NULL) return -ENOMEM;
  layer->unsettled = unsettled;
  for (int32_t i = layer->slot_count; i < count; i++) {
    slots[i] = (slot){.descriptor = -1, .generation = 1, .next_free = i + 1 < count ? i + 1 : -1};
  }
  layer->first_free = layer->slot_count;
  layer->last_free = count - 1;
  layer->slot_count = count;
  return 0;
}

/* Gives the descriptor a slot. Slots are reused in the order in which they were freed. */
static int add_socket(sockets *layer, int descriptor, uint16_t flags) {
  if (layer->first_free < 0) {
    int failure = grow(layer);
    if (failure < 0) return failure;
  }
  int32_t index = layer->first_free;
  slot *socket = &layer->slots[index];
  layer->first_free = socket->next_free;
  if (layer->first_free < 0) layer->last_free = -1;
  *socket = (slot){
    .descriptor = descriptor,
    .generation = socket->generation,
    .next_free = -1,
    .read_turn = layer->turn - 1,
    .refused_batch = layer->batch - 1,
    .flags = (uint16_t)(USED | flags | (socket->flags & UNSETTLED)),
  };
  layer->stats.sockets++;
  settle(layer, socket);
  return index;
}

/* Frees the slot. The descriptor stays open. */
static void remove_socket(sockets *layer, slot *socket) {
  drop_queue(layer, socket);
  socket->flags &= UNSETTLED;
  socket->descriptor = -1;
  socket->interest = 0;
  socket->generation = socket->generation == INT32_MAX ? 1 : socket->generation + 1;
  int32_t index = index_of(layer, socket);
  if (layer->last_free >= 0) layer->slots[layer->last_free].next_free = index;
  else layer->first_free = index;
  layer->last_free = index;
  layer->stats.sockets--;
}

/* Reports the failure. From then on the socket only waits for its close. */
static void fail(sockets *layer, slot *socket, int error, bool is_from_writing) {
  drop_queue(layer, socket);
  socket->error = error;
  socket->flags |= FAILED | WRITE_FAILED;
  socket->flags &= (uint16_t)~(OWES_ERROR | OWES_WRITE_ERROR | CONNECTING);
  put(layer, socket, SOCKETS_ERROR, 0, is_from_writing, error);
  settle(layer, socket);
}

/* ---- writing ---- */

static bool append(sockets *layer, slot *socket, const uint8_t *octets, size_t length) {
  chunk *last = socket->last;
  size_t room = last == NULL ? 0 : last->capacity - last->end;
  size_t merged = length < room ? length : room;
  chunk *added = NULL;
  if (length > merged) {
    size_t capacity = length - merged > CHUNK ? length - merged : CHUNK;
    added = malloc(sizeof(chunk) + capacity);
    if (added == NULL) return false;
    *added = (chunk){.end = length - merged, .capacity = capacity};
    memcpy(added->octets, octets + merged, length - merged);
  }
  if (merged > 0) {
    memcpy(last->octets + last->end, octets, merged);
    last->end += merged;
  }
  if (added != NULL) {
    if (last == NULL) socket->first = added;
    else last->next = added;
    socket->last = added;
  }
  socket->queued += length;
  layer->stats.queued_octets += length;
  return true;
}

/* Takes from the queue what the kernel has taken. */
static void consume(sockets *layer, slot *socket, size_t length) {
  socket->queued -= length;
  layer->stats.queued_octets -= length;
  while (length > 0) {
    chunk *first = socket->first;
    size_t left = first->end - first->begin;
    if (length < left) {
      first->begin += length;
      return;
    }
    length -= left;
    socket->first = first->next;
    if (socket->first == NULL) socket->last = NULL;
    free(first);
  }
}

/* Returns the octets that the kernel took (0 if it takes none now), or a negative errno. */
static ssize_t send_now(slot *socket, struct iovec *vector, size_t count) {
  for (;;) {
    struct msghdr message = {.msg_iov = vector, .msg_iovlen = count};
    ssize_t sent = count == 1 ? send(socket->descriptor, vector->iov_base, vector->iov_len, MSG_NOSIGNAL)
                              : sendmsg(socket->descriptor, &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      socket->bytes_written += (uint64_t)sent;
      return sent;
    }
    /* Linux says ENOBUFS where it will have memory later. */
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) return 0;
    if (errno != EINTR) return -errno;
  }
}

static void finish_writing(const slot *socket) {
  if (socket->flags & WRITE_ENDED) shutdown(socket->descriptor, SHUT_WR);
}

/* Sends what is queued. */
static void flush(sockets *layer, slot *socket) {
  while (socket->queued > 0) {
    struct iovec vector[JOINED];
    size_t count = 0, asked = 0;
    for (chunk *each = socket->first; each != NULL && count < JOINED; each = each->next) {
      vector[count++] = (struct iovec){each->octets + each->begin, each->end - each->begin};
      asked += each->end - each->begin;
    }
    ssize_t sent = send_now(socket, vector, count);
    if (sent < 0) {
      socket->error = (int)-sent;
      socket->flags |= WRITE_FAILED | OWES_WRITE_ERROR;
      settle(layer, socket);
      return;
    }
    consume(layer, socket, (size_t)sent);
    if ((size_t)sent < asked) return;
  }
  put(layer, socket, SOCKETS_DRAINED, 0, 0, 0);
  finish_writing(socket);
  settle(layer, socket);
}

/* Sends or queues buffers that fit. Returns 0 or a negative errno. */
static int write_vector(sockets *layer, slot *socket, struct iovec *vector, size_t count, size_t length) {
  size_t sent = 0;
  if (length == 0) return 0;
  if (socket->queued == 0 && !(socket->flags & CONNECTING)) {
    ssize_t result = send_now(socket, vector, count);
    if (result < 0) {
      socket->error = (int)-result;
      socket->flags |= WRITE_FAILED;
      return (int)result;
    }
    sent = (size_t)result;
    if (sent == length) return 0;
  }
  for (size_t i = 0; i < count; i++) {
    size_t skipped = sent < vector[i].iov_len ? sent : vector[i].iov_len;
    sent -= skipped;
    if (skipped == vector[i].iov_len) continue;
    if (!append(layer, socket, (uint8_t *)vector[i].iov_base + skipped, vector[i].iov_len - skipped)) {
      /* A part may have been sent: the stream cannot go on. */
      drop_queue(layer, socket);
      socket->error = ENOMEM;
      socket->flags |= WRITE_FAILED;
      settle(layer, socket);
      return -ENOMEM;
    }
  }
  settle(layer, socket);
  return 0;
}

static int write_refusal(const slot *socket) {
  if (socket == NULL) return -ESTALE;
  if (socket->flags & WRITE_FAILED) return -socket->error;
  if (socket->flags & WRITE_ENDED) return -EPIPE;
  return 0;
}

/* Writes adjacent rows of one socket. */
static void write_rows(sockets *layer, int32_t *rows, size_t count, const uint8_t *octets) {
  slot *socket = find(layer, rows[0], rows[1]);
  int failure = write_refusal(socket);
  if (failure == 0 && socket->refused_batch == layer->batch) failure = -ENOBUFS;
  struct iovec vector[JOINED];
  size_t fitting = 0, total = 0;
  if (failure == 0) {
    size_t room = layer->max_queued - socket->queued;
    while (fitting < count && total + (size_t)rows[fitting * SOCKETS_WRITE_ROW + 3] <= room) {
      const int32_t *row = rows + fitting * SOCKETS_WRITE_ROW;
      vector[fitting++] = (struct iovec){(void *)(uintptr_t)(octets + row[2]), (size_t)row[3]};
      total += (size_t)row[3];
    }
    if (fitting < count) socket->refused_batch = layer->batch;
    failure = write_vector(layer, socket, vector, fitting, total);
  }
  size_t later = total; /* octets of rows after the one at hand */
  for (size_t i = 0; i < count; i++) {
    int32_t *result = &rows[i * SOCKETS_WRITE_ROW + 3];
    if (failure != 0) {
      *result = failure;
    } else if (i >= fitting) {
      *result = -ENOBUFS;
    } else {
      later -= (size_t)*result;
      *result = socket->queued > later ? (int32_t)(socket->queued - later) : 0;
    }
  }
}

void sockets_write_batch(sockets *layer, int32_t *rows, size_t count, const uint8_t *octets) {
  layer->batch++;
  for (size_t i = 0; i < count;) {
    int32_t *row = rows + i * SOCKETS_WRITE_ROW;
    size_t joined = 1;
    while (joined < JOINED && i + joined < count && row[joined * SOCKETS_WRITE_ROW] == row[0] &&
           row[joined * SOCKETS_WRITE_ROW + 1] == row[1]) {
      joined++;
    }
    write_rows(layer, row, joined, octets);
    i += joined;
  }
}

int sockets_write(sockets *layer, int32_t index, int32_t generation, const uint8_t *octets, size_t length) {
  slot *socket = find(layer, index, generation);
  int failure = write_refusal(socket);
  if (failure < 0) return failure;
  if (length > layer->max_queued - socket->queued) return -ENOBUFS;
  struct iovec vector = {(void *)(uintptr_t)octets, length};
  failure = write_vector(layer, socket, &vector, 1, length);
  return failure < 0 ? failure : (int)socket->queued;
}

/* ---- reading ---- */

/* Returns whether the socket may have more. */
static bool read_some(sockets *layer, slot *socket) {
  if (socket->flags & (PAUSED | READ_ENDED | FAILED | CONNECTING) || socket->read_turn == layer->turn) return false;
  socket->read_turn = layer->turn;
  size_t left = layer->arena_length - layer->arena_used;
  size_t share = left < READ_SHARE ? left : READ_SHARE;
  ssize_t got;
  do got = recv(socket->descriptor, layer->arena + layer->arena_used, share, 0);
  while (got < 0 && errno == EINTR);
  if (got > 0) {
    bool is_full = (size_t)got == share;
    put(layer, socket, SOCKETS_DATA, (int32_t)layer->arena_used, (int32_t)got, is_full);
    layer->arena_used += (size_t)got;
    socket->bytes_read += (uint64_t)got;
    return is_full;
  }
  /* A reset that the failed write has reported already reads as an end: the error says what happened. */
  if (got == 0 && socket->flags & OWES_WRITE_ERROR) return false;
  if (got == 0) {
    socket->flags |= READ_ENDED;
    put(layer, socket, SOCKETS_END, 0, 0, 0);
    settle(layer, socket);
  } else if (errno != EAGAIN && errno != EWOULDBLOCK) {
    fail(layer, socket, errno, false);
  }
  return false;
}

static void finish_connect(sockets *layer, slot *socket) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(socket->descriptor, SOL_SOCKET, SO_ERROR, &error, &length) < 0) error = errno;
  if (error != 0) {
    fail(layer, socket, error, false);
    return;
  }
  socket->flags &= (uint16_t)~CONNECTING;
  put(layer, socket, SOCKETS_CONNECTED, 0, 0, 0);
  if (socket->queued == 0) finish_writing(socket);
  settle(layer, socket);
}

static void handle_socket(sockets *layer, slot *socket, uint32_t events) {
  if (socket->flags & (FAILED | OWES_ERROR)) return;
  if (socket->flags & CONNECTING) {
    finish_connect(layer, socket);
    if (socket->flags & FAILED) return;
  }
  bool is_writing = socket->queued > 0 && !(socket->flags & WRITE_FAILED);
  if (is_writing && events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) flush(layer, socket);
  /* What has arrived comes before the error: a paused socket, and one that this turn has read, wait for a later turn. */
  bool must_wait = socket->flags & PAUSED || socket->read_turn == layer->turn;
  bool has_more = events & (EPOLLIN | EPOLLERR | EPOLLHUP) || socket->flags & OWES_WRITE_ERROR
                    ? read_some(layer, socket)
                    : false;
  if (socket->flags & OWES_WRITE_ERROR && !has_more && !must_wait) fail(layer, socket, socket->error, true);
}

/* ---- accepting ---- */

static int open_reserve(void) { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

static int watch_listener(sockets *layer, int32_t index) {
  listener *each = &layer->listeners[index];
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = LISTENER_BIT | (uint32_t)index};
  if (epoll_ctl(layer->epoll, EPOLL_CTL_ADD, each->descriptor, &event) < 0) return -errno;
  each->is_watched = true;
  each->resume_at = 0;
  return 0;
}

static void rest_listener(sockets *layer, int32_t index) {
  listener *each = &layer->listeners[index];
  if (each->is_watched) epoll_ctl(layer->epoll, EPOLL_CTL_DEL, each->descriptor, NULL);
  each->is_watched = false;
  each->resume_at = now_ms() + ACCEPT_PAUSE_MS;
  wake_at(layer, each->resume_at);
}

/* Gives up the reserve to take one waiting connection and close it: its client hears at once. Returns false if the
   connection still waits. */
static bool drop_connection(sockets *layer, int descriptor) {
  if (layer->reserve < 0) layer->reserve = open_reserve();
  if (layer->reserve < 0) return false;
  close(layer->reserve);
  int dropped = accept4(descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  bool is_gone = dropped >= 0 || errno == EAGAIN;
  if (dropped >= 0) close(dropped);
  layer->reserve = open_reserve();
  return is_gone;
}

/* Writes the peer's address as text. Returns its length. */
static size_t address_text(const struct sockaddr_storage *address, char *text, size_t size, int32_t *port) {
  text[0] = '\0';
  *port = 0;
  if (address->ss_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    inet_ntop(AF_INET, &v4->sin_addr, text, (socklen_t)size);
    *port = ntohs(v4->sin_port);
  } else if (address->ss_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    char name[IF_NAMESIZE];
    *port = ntohs(v6->sin6_port);
    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
      inet_ntop(AF_INET, v6->sin6_addr.s6_addr + 12, text, (socklen_t)size);
    } else {
      inet_ntop(AF_INET6, &v6->sin6_addr, text, (socklen_t)size);
      if (IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr) && if_indextoname(v6->sin6_scope_id, name) != NULL) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%%%s", name);
      }
    }
  }
  return strlen(text);
}

static void put_accepted(sockets *layer, const slot *socket, int32_t index, const struct sockaddr_storage *address) {
  char text[INET6_ADDRSTRLEN + IF_NAMESIZE + 2];
  int32_t port;
  int32_t length = (int32_t)address_text(address, text, sizeof text, &port);
  int32_t offset = (int32_t)layer->arena_used;
  memcpy(layer->arena + offset, text, (size_t)length);
  layer->arena_used += (size_t)length;
  put_row(layer, (int32_t[]){SOCKETS_ACCEPTED, index_of(layer, socket), socket->generation, offset, length, port,
                             index, 0});
}

/* Reports why a connection was not accepted. Returns whether the listener goes on in this turn. */
static bool handle_accept_failure(sockets *layer, int32_t index, int error) {
  switch (error) {
    case EINTR:
      return true;
    case EAGAIN:
      return false;
    /* One connection failed while it waited (accept(2) lists these): the next may be well. */
    case ECONNABORTED: case EPROTO: case ENOPROTOOPT: case ENETDOWN: case ENETUNREACH: case EHOSTDOWN:
    case EHOSTUNREACH: case ENONET: case EOPNOTSUPP: case EPERM:
      put_accept_failed(layer, index, error);
      return true;
    case EMFILE: case ENFILE:
      put_accept_failed(layer, index, error);
      if (!drop_connection(layer, layer->listeners[index].descriptor)) rest_listener(layer, index);
      return false;
    default:
      put_accept_failed(layer, index, error);
      rest_listener(layer, index);
      return false;
  }
}

static void handle_listener(sockets *layer, int32_t index) {
  if (index >= layer->listener_count || !layer->listeners[index].is_watched) return;
  for (int i = 0; i < ACCEPTS_PER_TURN && has_room(layer); i++) {
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
    socklen_t length = sizeof address;
    int descriptor = accept4(layer->listeners[index].descriptor, (struct sockaddr *)&address, &length,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) {
      if (handle_accept_failure(layer, index, errno)) continue;
      return;
    }
    int added = add_socket(layer, descriptor, 0);
    if (added < 0) {
      close(descriptor);
      handle_accept_failure(layer, index, ENOMEM);
      return;
    }
    slot *socket = &layer->slots[added];
    put_accepted(layer, socket, index, &address);
    read_some(layer, socket);
  }
}

static void handle_timer(sockets *layer) {
  uint64_t expirations;
  if (read(layer->timer, &expirations, sizeof expirations) < 0 && errno == EAGAIN) return;
  layer->wake_at = 0;
  int64_t now = now_ms();
  for (int32_t i = 0; i < layer->listener_count; i++) {
    listener *each = &layer->listeners[i];
    if (each->descriptor < 0 || each->resume_at == 0) continue;
    if (each->resume_at > now) wake_at(layer, each->resume_at);
    else if (watch_listener(layer, i) < 0) rest_listener(layer, i);
  }
  if (!layer->owes_errors) return;
  layer->owes_errors = false;
  for (int32_t i = 0; i < layer->slot_count; i++) {
    slot *socket = &layer->slots[i];
    if (!(socket->flags & OWES_ERROR)) continue;
    if (!has_room(layer)) {
      layer->owes_errors = true;
      wake_at(layer, now);
      return;
    }
    fail(layer, socket, socket->error, false);
  }
}

/* ---- the turn ---- */

static void handle(sockets *layer, const struct epoll_event *event) {
  uint64_t id = event->data.u64;
  if (id == TIMER_ID) {
    handle_timer(layer);
  } else if (id & LISTENER_BIT) {
    handle_listener(layer, (int32_t)(uint32_t)id);
  } else {
    slot *socket = find(layer, (int32_t)(uint32_t)id, (int32_t)(id >> 32));
    if (socket != NULL) handle_socket(layer, socket, event->events);
  }
}

/* Returns whether all that epoll reported was handled. */
static bool handle_ready(sockets *layer) {
  while (layer->ready_next < layer->ready_count) {
    if (!has_room(layer)) return false;
    handle(layer, &layer->ready[layer->ready_next++]);
  }
  return true;
}

int sockets_gather(sockets *layer, uint8_t *arena, size_t arena_length, int32_t *rows, size_t row_count) {
  layer->arena = arena;
  layer->arena_length = arena_length;
  layer->arena_used = 0;
  layer->rows = rows;
  layer->row_limit = row_count;
  layer->row_count = 0;
  layer->turn++;
  layer->is_in_turn = true;
  if (handle_ready(layer)) {
    int count = epoll_wait(layer->epoll, layer->ready, READY_LIMIT, 0);
    layer->ready_next = 0;
    layer->ready_count = count < 0 ? 0 : count;
    handle_ready(layer);
  }
  return (int)layer->row_count;
}

/* epoll reports at most READY_LIMIT descriptors, so a full report may not be the whole. */
bool sockets_has_more(const sockets *layer) {
  return layer->ready_next < layer->ready_count || layer->ready_count == READY_LIMIT;
}

/* ---- opening and closing ---- */

sockets *sockets_open(size_t max_queued) {
  sockets *layer = calloc(1, sizeof *layer);
  if (layer == NULL) return NULL;
  *layer = (sockets){.max_queued = max_queued, .first_free = -1, .last_free = -1, .reserve = open_reserve()};
  layer->epoll = epoll_create1(EPOLL_CLOEXEC);
  layer->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = TIMER_ID};
  if (layer->epoll < 0 || layer->timer < 0 || epoll_ctl(layer->epoll, EPOLL_CTL_ADD, layer->timer, &event) < 0) {
    int error = errno;
    sockets_free(layer);
    errno = error;
    return NULL;
  }
  return layer;
}

void sockets_free(sockets *layer) {
  for (int32_t i = 0; i < layer->slot_count; i++) {
    slot *socket = &layer->slots[i];
    if (!(socket->flags & USED)) continue;
    drop_queue(layer, socket);
    close(socket->descriptor);
  }
  for (int32_t i = 0; i < layer->listener_count; i++) sockets_close_listener(layer, i);
  if (layer->reserve >= 0) close(layer->reserve);
  if (layer->timer >= 0) close(layer->timer);
  if (layer->epoll >= 0) close(layer->epoll);
  free(layer->slots);
  free(layer->unsettled);
  free(layer->listeners);
  free(layer);
}

int sockets_descriptor(const sockets *layer) { return layer->epoll; }

static int free_listener(sockets *layer) {
  for (int32_t i = 0; i < layer->listener_count; i++) {
    if (layer->listeners[i].descriptor < 0) return i;
  }
  if (layer->listener_count >= MAX_LISTENERS) return -EMFILE;
  listener *listeners = realloc(layer->listeners, sizeof(listener) * (size_t)(layer->listener_count + 1));
  if (listeners == NULL) return -ENOMEM;
  layer->listeners = listeners;
  listeners[layer->listener_count] = (listener){.descriptor = -1};
  return layer->listener_count++;
}

int sockets_listen(sockets *layer, int descriptor, int backlog) {
  int index = free_listener(layer);
  if (index < 0) return index;
  int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return -errno;
  int flags = fcntl(copy, F_GETFL);
  if (flags < 0 || listen(copy, backlog) < 0 || fcntl(copy, F_SETFL, flags | O_NONBLOCK) < 0) {
    int error = errno;
    close(copy);
    return -error;
  }
  /* Accepted sockets inherit this from the listener. A unix socket refuses it: nothing is lost. */
  setsockopt(copy, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  layer->listeners[index] = (listener){.descriptor = copy};
  int failure = watch_listener(layer, index);
  if (failure < 0) {
    layer->listeners[index].descriptor = -1;
    close(copy);
    return failure;
  }
  layer->stats.listeners++;
  return index;
}

int sockets_close_listener(sockets *layer, int32_t index) {
  if (index < 0 || index >= layer->listener_count || layer->listeners[index].descriptor < 0) return -ESTALE;
  listener *each = &layer->listeners[index];
  /* The caller's copy of the descriptor would keep it in epoll's set. */
  if (each->is_watched) epoll_ctl(layer->epoll, EPOLL_CTL_DEL, each->descriptor, NULL);
  close(each->descriptor);
  *each = (listener){.descriptor = -1};
  layer->stats.listeners--;
  return 0;
}

bool sockets_parse_address(const char *host, uint16_t port, struct sockaddr_storage *address, socklen_t *length) {
  memset(address, 0, sizeof *address);
  struct sockaddr_in *v4 = (struct sockaddr_in *)address;
  if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    *length = sizeof *v4;
    return true;
  }
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
  char text[INET6_ADDRSTRLEN];
  const char *scope = strchr(host, '%');
  size_t digits = scope == NULL ? strlen(host) : (size_t)(scope - host);
  if (digits >= sizeof text) return false;
  memcpy(text, host, digits);
  text[digits] = '\0';
  if (inet_pton(AF_INET6, text, &v6->sin6_addr) != 1) return false;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(port);
  *length = sizeof *v6;
  if (scope == NULL) return true;
  char *end;
  v6->sin6_scope_id = if_nametoindex(scope + 1);
  if (v6->sin6_scope_id != 0) return true;
  unsigned long number = strtoul(scope + 1, &end, 10);
  v6->sin6_scope_id = (uint32_t)number;
  return scope[1] >= '0' && scope[1] <= '9' && *end == '\0' && number <= UINT32_MAX;
}

int sockets_connect(sockets *layer, const struct sockaddr *address, socklen_t length) {
  int descriptor = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  if (address->sa_family != AF_UNIX) {
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &(int){KEEP_ALIVE_IDLE_S}, sizeof(int));
  }
  /* EINTR leaves the connection to be made in the background, like EINPROGRESS. */
  int failure = connect(descriptor, address, length) < 0 && errno != EINPROGRESS && errno != EINTR ? -errno : 0;
  int result = failure < 0 ? failure : add_socket(layer, descriptor, CONNECTING);
  if (result < 0) close(descriptor);
  return result;
}

int sockets_connect_path(sockets *layer, const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length == 0) return -ENOENT;
  if (length >= sizeof address.sun_path) return -ENAMETOOLONG;
  memcpy(address.sun_path, path, length);
  return sockets_connect(layer, (const struct sockaddr *)&address, sizeof address);
}

int32_t sockets_generation(const sockets *layer, int32_t index) {
  if (index < 0 || index >= layer->slot_count || !(layer->slots[index].flags & USED)) return -ESTALE;
  return layer->slots[index].generation;
}

int sockets_queued(const sockets *layer, int32_t index, int32_t generation) {
  const slot *socket = find(layer, index, generation);
  return socket == NULL ? -ESTALE : (int)socket->queued;
}

int sockets_has_input(const sockets *layer, int32_t index, int32_t generation) {
  const slot *socket = find(layer, index, generation);
  if (socket == NULL) return -ESTALE;
  if (socket->flags & (CONNECTING | READ_ENDED | FAILED)) return 0;
  /* recv with MSG_PEEK would take a pending error away, so that the next read meets an end. */
  struct pollfd state = {.fd = socket->descriptor, .events = POLLIN};
  int ready;
  do ready = poll(&state, 1, 0);
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

int sockets_pause(sockets *layer, int32_t index, int32_t generation) {
  slot *socket = find(layer, index, generation);
  if (socket == NULL) return -ESTALE;
  socket->flags |= PAUSED;
  settle(layer, socket);
  return 0;
}

int sockets_resume(sockets *layer, int32_t index, int32_t generation) {
  slot *socket = find(layer, index, generation);
  if (socket == NULL) return -ESTALE;
  socket->flags &= (uint16_t)~PAUSED;
  settle(layer, socket);
  return 0;
}

int sockets_shutdown(sockets *layer, int32_t index, int32_t generation) {
  slot *socket = find(layer, index, generation);
  if (socket == NULL) return -ESTALE;
  if (socket->flags & (WRITE_ENDED | WRITE_FAILED)) return 0;
  socket->flags |= WRITE_ENDED;
  if (socket->queued == 0 && !(socket->flags & CONNECTING)) finish_writing(socket);
  return 0;
}

/* Closing takes the descriptor out of epoll's set. Another process may hold a copy until it has run exec: then epoll
   reports an old generation, which finds no socket. */
int sockets_close(sockets *layer, int32_t index, int32_t generation) {
  slot *socket = find(layer, index, generation);
  if (socket == NULL) return -ESTALE;
  close(socket->descriptor);
  remove_socket(layer, socket);
  return 0;
}

int sockets_reset(sockets *layer, int32_t index, int32_t generation) {
  slot *socket = find(layer, index, generation);
  if (socket == NULL) return -ESTALE;
  struct linger linger = {.l_onoff = 1, .l_linger = 0};
  setsockopt(socket->descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  return sockets_close(layer, index, generation);
}

int sockets_detach(sockets *layer, int32_t index, int32_t generation) {
  slot *socket = find(layer, index, generation);
  if (socket == NULL) return -ESTALE;
  if (socket->queued > 0 || socket->flags & CONNECTING) return -EBUSY;
  int descriptor = socket->descriptor;
  if (socket->interest != 0) epoll_ctl(layer->epoll, EPOLL_CTL_DEL, descriptor, NULL);
  remove_socket(layer, socket);
  return descriptor;
}

int sockets_bytes(const sockets *layer, int32_t index, int32_t generation, uint64_t *read, uint64_t *written) {
  const slot *socket = find(layer, index, generation);
  if (socket == NULL) return -ESTALE;
  *read = socket->bytes_read;
  *written = socket->bytes_written;
  return 0;
}

sockets_stats sockets_get_stats(const sockets *layer) { return layer->stats; }

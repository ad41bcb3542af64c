/*
 * Plain TCP and unix stream sockets on one epoll instance. This half knows neither Node nor libuv: the
 * caller watches one descriptor and calls sockets_gather when it is readable.
 *
 * A socket is named by a slot and a generation. A slot is reused, its generation grows with every reuse,
 * so that a late call never reaches a newer socket.
 *
 * Functions that return int give a negative errno on failure. -ESTALE means: the slot and generation name
 * no open socket. Nothing here is thread-safe: one layer belongs to one thread.
 */
#ifndef PORTCULLIS_SOCKETS_H
#define PORTCULLIS_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Types of events: the first number of a row. */
enum {
  SOCKETS_ACCEPTED = 1,
  SOCKETS_DATA = 2,
  SOCKETS_END = 3,
  SOCKETS_ERROR = 4,
  SOCKETS_CONNECTED = 5,
  SOCKETS_DRAINED = 6,
  SOCKETS_ACCEPT_FAILED = 7,
};

enum {
  SOCKETS_ROW = 8,               /* numbers in a row: type, slot, generation, offset, length, value, listener, 0 */
  SOCKETS_WRITE_ROW = 4,         /* numbers in a row of sockets_write_batch: slot, generation, offset, length */
  SOCKETS_MIN_ARENA = 8192,      /* octets; a smaller arena could never have the room that a socket needs */
  SOCKETS_MIN_ROWS = 8,          /* likewise for rows */
  SOCKETS_MAX_SLOTS = 1 << 20,
};

typedef struct sockets sockets;

typedef struct {
  uint32_t sockets;
  uint32_t listeners;
  uint64_t queued_octets;
} sockets_stats;

/* max_queued: the largest queue of one socket, in octets. NULL on failure, with errno. */
sockets *sockets_open(size_t max_queued);

/* Closes every descriptor and frees everything. May be called between sockets_gather and sockets_end_turn. */
void sockets_free(sockets *layer);

/* The epoll descriptor: readable while there is something to gather. */
int sockets_descriptor(const sockets *layer);

/*
 * Accepts, connects, writes what was queued and reads into the arena, until nothing is ready or the arena
 * or the rows are used up. Returns the number of rows filled. Every call must be followed by
 * sockets_end_turn, after the rows were handled.
 */
int sockets_gather(sockets *layer, uint8_t *arena, size_t arena_length, int32_t *rows, size_t row_count);

/* Whether the last sockets_gather left ready sockets to the next. */
bool sockets_has_more(const sockets *layer);

/* Tells epoll what changed since sockets_gather. */
void sockets_end_turn(sockets *layer);

/* Duplicates the bound descriptor, listens and accepts. Returns the listener's slot. */
int sockets_listen(sockets *layer, int descriptor, int backlog);
int sockets_close_listener(sockets *layer, int32_t listener);

/* Reads an IPv4 or IPv6 literal, which may have a scope (fe80::1%eth0, fe80::1%2). */
bool sockets_parse_address(const char *host, uint16_t port, struct sockaddr_storage *address, socklen_t *length);

/* Both return the new slot. */
int sockets_connect(sockets *layer, const struct sockaddr *address, socklen_t length);
int sockets_connect_path(sockets *layer, const char *path);

/* The generation of an open socket, or -ESTALE. */
int32_t sockets_generation(const sockets *layer, int32_t slot);

/*
 * Sends at once or queues. Returns the octets queued after the call, or a negative errno. -ENOBUFS: the
 * octets queued before and these are together more than max_queued; none of these was taken.
 */
int sockets_write(sockets *layer, int32_t slot, int32_t generation, const uint8_t *octets, size_t length);

/*
 * The same for many rows; the caller has checked every offset and length. The result of each replaces its
 * length (-ESTALE too). After a refused row, later rows of the same socket are refused, so that a stream
 * never has a gap.
 */
void sockets_write_batch(sockets *layer, int32_t *rows, size_t count, const uint8_t *octets);

int sockets_queued(const sockets *layer, int32_t slot, int32_t generation);

/* 1 if the kernel holds octets, an end or an error that was not reported, otherwise 0. */
int sockets_has_input(const sockets *layer, int32_t slot, int32_t generation);
int sockets_pause(sockets *layer, int32_t slot, int32_t generation);
int sockets_resume(sockets *layer, int32_t slot, int32_t generation);
int sockets_shutdown(sockets *layer, int32_t slot, int32_t generation);
int sockets_close(sockets *layer, int32_t slot, int32_t generation);
int sockets_reset(sockets *layer, int32_t slot, int32_t generation);

/* Returns the descriptor, which then belongs to the caller. -EBUSY: octets are queued or it still connects. */
int sockets_detach(sockets *layer, int32_t slot, int32_t generation);

int sockets_bytes(const sockets *layer, int32_t slot, int32_t generation, uint64_t *read, uint64_t *written);
sockets_stats sockets_get_stats(const sockets *layer);

#endif

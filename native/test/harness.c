/*
 * Opens many connections through the core, both ends in one layer, and checks that every octet arrives in order, that
 * events keep their rules, and that neither a descriptor nor an allocation is left.
 *
 *   harness [connections [seed [faults]]]      faults: 1 where faults.c injects failures
 *
 * A connection is orderly (both sides send all, half-close, and wait for the end), or one side resets or closes it
 * at a random moment. The client's first octets are the number of the connection: the server knows it by them.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>

static long allocations;
static void *counted_malloc(size_t size);
static void *counted_calloc(size_t count, size_t size);
static void *counted_realloc(void *memory, size_t size);
static void counted_free(void *memory);

/* The core allocates with these. */
#define malloc counted_malloc
#define calloc counted_calloc
#define realloc counted_realloc
#define free counted_free
#include "../core/sockets.c"
#undef malloc
#undef calloc
#undef realloc
#undef free

#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

static void *counted_malloc(size_t size) {
  void *memory = malloc(size);
  allocations += memory != NULL;
  return memory;
}
static void *counted_calloc(size_t count, size_t size) {
  void *memory = calloc(count, size);
  allocations += memory != NULL;
  return memory;
}
static void *counted_realloc(void *memory, size_t size) {
  void *moved = realloc(memory, size);
  allocations += memory == NULL && moved != NULL;
  return moved;
}
static void counted_free(void *memory) {
  allocations -= memory != NULL;
  free(memory);
}

enum {
  POOL = 96,               /* connections at a time */
  MAX_QUEUED = 64 * 1024,
  LARGEST_WRITE = 24 * 1024,
  HEADER = 8,
  BATCH_ROWS = 256,
  SPIN_TURNS = 20000,      /* turns without an event before the layer is said to spin */
  STALL_MS = 30000,
};

typedef struct {
  int32_t slot, generation; /* slot -1: not there */
  uint64_t to_send, sent, received;
  uint64_t acts_at; /* resets or closes after as many received octets */
  uint64_t paused_since;
  bool is_open, is_connected, is_blocked, is_paused, has_ended, is_shut, acts, by_reset;
} endpoint;

typedef struct {
  uint64_t id; /* 0: free */
  bool is_excused; /* an end was aborted, or an injected failure met it */
  endpoint ends[2]; /* client, server */
} connection;

/* The owner of each slot. */
typedef struct {
  int32_t generation, connection, end; /* connection -1: a server that does not know its client yet */
  uint64_t read_turn;
  uint8_t header[HEADER];
  size_t header_length;
} owner;

static sockets *layer;
static connection pool[POOL];
static owner *owners;
static size_t owner_count;
static bool has_faults;
static uint64_t random_state, turn, finished, orderly, bytes_checked;
static int32_t batch[BATCH_ROWS * SOCKETS_WRITE_ROW];
static struct { connection *of; endpoint *from; uint64_t id; int32_t length; } batch_rows[BATCH_ROWS];
static uint8_t batch_octets[BATCH_ROWS * 1024];
static size_t batch_count, batch_used;
static struct sockaddr_storage addresses[3];
static socklen_t address_lengths[3];

#define CHECK(condition, ...) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "harness.c:%d: %s: ", __LINE__, #condition); \
      fprintf(stderr, __VA_ARGS__); \
      fprintf(stderr, "\n"); \
      abort(); \
    } \
  } while (0)

static uint64_t any(uint64_t below) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return (random_state * 2685821657736338717ULL >> 16) % below;
}

/* The octet of a stream at a position. The first octets of a client's stream are the number of the connection. */
static uint8_t octet_at(uint64_t id, int end, uint64_t position) {
  if (end == 0 && position < HEADER) return (uint8_t)(id >> (8 * position));
  return (uint8_t)((position * 2654435761U >> 11) ^ id * 131 ^ (uint64_t)end * 77);
}

static void fill(uint8_t *octets, size_t length, uint64_t id, int end, uint64_t position) {
  for (size_t i = 0; i < length; i++) octets[i] = octet_at(id, end, position + i);
}

static owner *owner_of(int32_t slot) {
  if ((size_t)slot >= owner_count) {
    size_t count = (size_t)slot * 2 + 64;
    owners = realloc(owners, sizeof(owner) * count);
    CHECK(owners != NULL, "no memory");
    memset(owners + owner_count, 0, sizeof(owner) * (count - owner_count));
    owner_count = count;
  }
  return &owners[slot];
}

/* Sets the owner of a new socket. */
static owner *own(int32_t slot, int32_t generation, int32_t of) {
  owner *each = owner_of(slot);
  CHECK(generation == each->generation + 1, "generation %d after %d", generation, each->generation);
  *each = (owner){.generation = generation, .connection = of};
  return each;
}

static int end_of(const connection *of, const endpoint *each) { return each == &of->ends[1]; }

/* ---- closing ---- */

static void check_counts(connection *of, endpoint *each) {
  uint64_t read, written;
  CHECK(sockets_bytes(layer, each->slot, each->generation, &read, &written) == 0, "stale");
  CHECK(read == each->received, "connection %" PRIu64 ": %" PRIu64 " read", of->id, read);
  CHECK(written <= each->sent, "connection %" PRIu64 ": %" PRIu64 " written", of->id, written);
}

static void close_end(connection *of, endpoint *each) {
  if (!each->is_open) return;
  check_counts(of, each);
  bool is_idle = sockets_queued(layer, each->slot, each->generation) == 0 && each->is_connected;
  int result;
  if (each->acts && each->by_reset) {
    result = sockets_reset(layer, each->slot, each->generation);
  } else if (is_idle && any(4) == 0) {
    int descriptor = sockets_detach(layer, each->slot, each->generation);
    result = descriptor < 0 ? descriptor : close(descriptor);
  } else {
    result = sockets_close(layer, each->slot, each->generation);
  }
  CHECK(result == 0, "result %d", result);
  CHECK(sockets_close(layer, each->slot, each->generation) == -ESTALE, "closed twice");
  CHECK(sockets_has_input(layer, each->slot, each->generation) == -ESTALE, "input after close");
  CHECK(sockets_write(layer, each->slot, each->generation, batch_octets, 1) == -ESTALE, "written after close");
  each->is_open = false;
}

static void abort_end(connection *of, endpoint *each) {
  of->is_excused = true;
  each->acts = true;
  close_end(of, each);
}

/* ---- writing ---- */

static void note_failed_write(connection *of, endpoint *each, int result) {
  /* The other end may have reset, which a write can learn first. */
  CHECK(has_faults || of->is_excused, "connection %" PRIu64 ": write: %s", of->id, strerror(-result));
  abort_end(of, each);
}

static void flush_batch(void) {
  if (batch_count == 0) return;
  sockets_write_batch(layer, batch, batch_count, batch_octets);
  for (size_t i = 0; i < batch_count; i++) {
    int32_t result = batch[i * SOCKETS_WRITE_ROW + 3];
    endpoint *from = batch_rows[i].from;
    connection *of = batch_rows[i].of;
    if (!from->is_open || of->id != batch_rows[i].id) continue;
    if (result >= 0) continue;
    from->sent -= (uint64_t)batch_rows[i].length;
    if (result == -ENOBUFS) from->is_blocked = true;
    else note_failed_write(of, from, result);
  }
  for (size_t i = 0; i < batch_count; i++) {
    endpoint *from = batch_rows[i].from;
    if (from->is_open && from->is_blocked) {
      CHECK(sockets_queued(layer, from->slot, from->generation) > 0, "refused with an empty queue");
    }
  }
  batch_count = batch_used = 0;
}

static void add_to_batch(connection *of, endpoint *each, size_t length) {
  int32_t *row = batch + batch_count * SOCKETS_WRITE_ROW;
  fill(batch_octets + batch_used, length, of->id, end_of(of, each), each->sent);
  memcpy(row, (int32_t[]){each->slot, each->generation, (int32_t)batch_used, (int32_t)length}, 16);
  batch_rows[batch_count].of = of;
  batch_rows[batch_count].from = each;
  batch_rows[batch_count].id = of->id;
  batch_rows[batch_count].length = (int32_t)length;
  batch_count++;
  batch_used += length;
  each->sent += length;
}

static void pump(connection *of, endpoint *each) {
  static uint8_t octets[LARGEST_WRITE];
  while (each->is_open && !each->is_blocked && each->sent < each->to_send) {
    uint64_t left = each->to_send - each->sent;
    size_t largest = any(8) == 0 ? LARGEST_WRITE : 1024;
    size_t length = (size_t)any(left < largest ? left : largest) + 1;
    if (length <= 1024 && any(2) == 0) {
      if (batch_count == BATCH_ROWS) return;
      add_to_batch(of, each, length);
      if (any(4) == 0) return;
      continue;
    }
    flush_batch();
    if (!each->is_open || each->is_blocked || each->to_send - each->sent < length) continue;
    fill(octets, length, of->id, end_of(of, each), each->sent);
    int result = sockets_write(layer, each->slot, each->generation, octets, length);
    if (result == -ENOBUFS) {
      CHECK(sockets_queued(layer, each->slot, each->generation) > 0, "refused with an empty queue");
      each->is_blocked = true;
    } else if (result < 0) {
      note_failed_write(of, each, result);
    } else {
      each->sent += length;
    }
    if (any(16) == 0) return;
  }
}

/* Takes the next steps of an end that nothing happened to. */
static void advance(connection *of, endpoint *each) {
  if (!each->is_open) return;
  if (each->acts && (each->received >= each->acts_at || any(200) == 0)) {
    abort_end(of, each);
    return;
  }
  if (any(16) == 0) CHECK(sockets_has_input(layer, each->slot, each->generation) >= 0, "stale");
  if (each->is_paused && any(4) == 0) {
    each->is_paused = false;
    CHECK(sockets_resume(layer, each->slot, each->generation) == 0, "stale");
  } else if (!each->is_paused && any(32) == 0) {
    each->is_paused = true;
    each->paused_since = turn;
    CHECK(sockets_pause(layer, each->slot, each->generation) == 0, "stale");
  }
  pump(of, each);
}

/* Half-closes and closes. To be called when the batch is empty: `sent` is then what the layer has taken. */
static void conclude(connection *of, endpoint *each) {
  if (!each->is_open || each->sent < each->to_send) return;
  if (!each->is_shut) {
    each->is_shut = true;
    CHECK(sockets_shutdown(layer, each->slot, each->generation) == 0, "stale");
    CHECK(sockets_write(layer, each->slot, each->generation, batch_octets, 1) < 0, "written after shutdown");
  }
  if (each->has_ended && sockets_queued(layer, each->slot, each->generation) == 0) close_end(of, each);
}

/* ---- events ---- */

static uint64_t some_length(void) {
  switch (any(20)) {
    case 0: return any(400 * 1024);
    case 1: case 2: case 3: return any(20 * 1024);
    default: return any(600);
  }
}

/*
 * So that queues fill. The buffer for receiving stays: with one below loopback's segment size, a reset that meets a
 * closed window is lost, and its peer waits for good.
 */
static void shrink_send_buffer(int descriptor) {
  setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int));
}

static void plan(connection *of, endpoint *each, uint64_t least) {
  *each = (endpoint){.slot = -1, .to_send = least + some_length()};
  each->acts = any(6) == 0;
  each->acts_at = any(2) == 0 ? any(2000) : any(200 * 1024);
  each->by_reset = any(2) == 0;
  of->is_excused |= each->acts;
}

static void begin_connection(connection *of, uint64_t id) {
  int kind = (int)any(3);
  int slot = sockets_connect(layer, (struct sockaddr *)&addresses[kind], address_lengths[kind]);
  if (slot < 0) {
    bool is_expected = slot == -EADDRNOTAVAIL || slot == -EAGAIN || has_faults;
    CHECK(is_expected, "connect: %s", strerror(-slot));
    return;
  }
  *of = (connection){.id = id};
  plan(of, &of->ends[0], HEADER);
  plan(of, &of->ends[1], 0);
  endpoint *client = &of->ends[0];
  client->slot = slot;
  client->generation = sockets_generation(layer, slot);
  client->is_open = true;
  own(slot, client->generation, (int32_t)(of - pool));
  if (any(4) == 0) shrink_send_buffer(layer->slots[slot].descriptor);
  if (any(2) == 0) pump(of, client);
}

static void receive(connection *of, endpoint *each, const uint8_t *octets, size_t length) {
  int from = !end_of(of, each);
  for (size_t i = 0; i < length; i++) {
    CHECK(octets[i] == octet_at(of->id, from, each->received + i), "connection %" PRIu64 ": octet %" PRIu64, of->id,
          each->received + i);
  }
  each->received += length;
  bytes_checked += length;
}

/* Octets, the end or an error of a server that does not know its client yet. */
static void handle_stranger(owner *stranger, int32_t slot, int32_t type, const uint8_t *octets, size_t length) {
  size_t taken = 0;
  while (type == SOCKETS_DATA && taken < length && stranger->header_length < HEADER) {
    stranger->header[stranger->header_length++] = octets[taken++];
  }
  uint64_t id = 0;
  for (int i = 0; i < HEADER; i++) id |= (uint64_t)stranger->header[i] << (8 * i);
  for (int i = 0; type == SOCKETS_DATA && stranger->header_length == HEADER && i < POOL; i++) {
    endpoint *server = &pool[i].ends[1];
    if (pool[i].id != id) continue;
    CHECK(server->slot < 0, "connection %" PRIu64 " was accepted twice", id);
    server->slot = slot;
    server->generation = stranger->generation;
    server->is_open = server->is_connected = true;
    server->received = HEADER;
    stranger->connection = i;
    stranger->end = 1;
    receive(&pool[i], server, octets + taken, length - taken);
    return;
  }
  if (type == SOCKETS_DATA && stranger->header_length < HEADER) return;
  /* Its client is gone. */
  CHECK(sockets_close(layer, slot, stranger->generation) == 0, "stale");
}

static void handle_row(const int32_t *row, const uint8_t *arena) {
  int32_t type = row[0], slot = row[1], generation = row[2], length = row[4], value = row[5];
  if (type == SOCKETS_ACCEPT_FAILED) {
    CHECK(has_faults && value != EAGAIN && value != EINTR, "accept: %s", strerror(value));
    return;
  }
  owner *known = owner_of(slot);
  if (type == SOCKETS_ACCEPTED) {
    CHECK(length == 0 || memchr(arena + row[3], length > 3 ? '.' : ':', (size_t)length) != NULL, "no address");
    known = own(slot, generation, -1);
    if (any(4) == 0) shrink_send_buffer(layer->slots[slot].descriptor);
    return;
  }
  if (sockets_generation(layer, slot) != generation) return; /* closed in this turn */
  CHECK(known->generation == generation, "an event of an unknown socket");
  if (type == SOCKETS_DATA) {
    CHECK(known->read_turn != turn, "read twice in a turn");
    CHECK(length <= READ_SHARE, "%d octets in a turn", length);
    known->read_turn = turn;
  }
  if (known->connection < 0) {
    handle_stranger(known, slot, type, arena + row[3], (size_t)length);
    return;
  }
  connection *of = &pool[known->connection];
  endpoint *each = &of->ends[known->end];
  CHECK(each->is_open && each->slot == slot, "an event of a closed socket");
  switch (type) {
    case SOCKETS_DATA:
      CHECK(!each->has_ended && length > 0, "octets after the end");
      CHECK(!each->is_paused || each->paused_since == turn, "octets while paused");
      receive(of, each, arena + row[3], (size_t)length);
      break;
    case SOCKETS_END:
      CHECK(!each->has_ended, "two ends");
      CHECK(sockets_has_input(layer, slot, generation) == 0, "input behind the end");
      each->has_ended = true;
      break;
    case SOCKETS_CONNECTED:
      CHECK(!each->is_connected && known->end == 0, "connected twice");
      each->is_connected = true;
      break;
    case SOCKETS_DRAINED:
      CHECK(sockets_queued(layer, slot, generation) >= 0, "stale");
      each->is_blocked = false;
      break;
    case SOCKETS_ERROR:
      CHECK(has_faults || of->is_excused, "connection %" PRIu64 ": %s", of->id, strerror(value));
      CHECK(sockets_write(layer, slot, generation, batch_octets, 1) == -value, "another error");
      abort_end(of, each);
      break;
    default:
      CHECK(false, "type %d", type);
  }
}

static void finish_connection(connection *of) {
  endpoint *client = &of->ends[0], *server = &of->ends[1];
  if (client->is_open || server->is_open) return;
  /* An injected failure may have dropped it before the server knew it. */
  if (has_faults && server->slot < 0) of->is_excused = true;
  if (!of->is_excused) {
    CHECK(client->has_ended && server->has_ended, "connection %" PRIu64 " has no end", of->id);
    CHECK(client->received == server->to_send && server->received == client->to_send,
          "connection %" PRIu64 ": %" PRIu64 " of %" PRIu64 " and %" PRIu64 " of %" PRIu64, of->id, client->received,
          server->to_send, server->received, client->to_send);
    orderly++;
  }
  of->id = 0;
  finished++;
}

/* ---- the run ---- */

static int count_descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

static void listen_on(int index, int family, const char *path) {
  struct sockaddr_storage *address = &addresses[index];
  socklen_t *length = &address_lengths[index];
  if (path == NULL) {
    CHECK(sockets_parse_address(family == AF_INET ? "127.0.0.1" : "::1", 0, address, length), "no address");
  } else {
    struct sockaddr_un *unix_address = (struct sockaddr_un *)address;
    unix_address->sun_family = AF_UNIX;
    snprintf(unix_address->sun_path, sizeof unix_address->sun_path, "%s", path);
    *length = sizeof *unix_address;
  }
  int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(bind(descriptor, (struct sockaddr *)address, *length) == 0, "bind: %s", strerror(errno));
  if (path == NULL) CHECK(getsockname(descriptor, (struct sockaddr *)address, length) == 0, "getsockname");
  int listener;
  do listener = sockets_listen(layer, descriptor, 512);
  while (listener < 0 && has_faults);
  CHECK(listener >= 0, "listen: %s", strerror(-listener));
  close(descriptor);
}

/* What is open, for a run that stands still. */
static void show_open(void) {
  for (int i = 0; i < POOL * 2; i++) {
    const connection *of = &pool[i / 2];
    const endpoint *each = &of->ends[i % 2];
    if (of->id == 0 || !each->is_open) continue;
    const slot *known = &layer->slots[each->slot];
    fprintf(stderr,
            "connection %" PRIu64 " %s: sent %" PRIu64 "/%" PRIu64 ", received %" PRIu64 ", queued %zu, blocked %d, "
            "paused %d, ended %d, shut %d, flags %x, interest %x\n",
            of->id, i % 2 == 0 ? "client" : "server", each->sent, each->to_send, each->received, known->queued,
            each->is_blocked, each->is_paused, each->has_ended, each->is_shut, known->flags, known->interest);
  }
}

static void run(uint64_t connections) {
  static uint8_t arena[512 * 1024];
  static int32_t rows[512 * SOCKETS_ROW];
  uint64_t begun = 0, idle_turns = 0;
  int64_t last_progress = now_ms();
  while (finished < connections) {
    for (int i = 0; i < POOL; i++) {
      if (pool[i].id == 0 && begun < connections && any(4) == 0) {
        begin_connection(&pool[i], begun + 1);
        begun += pool[i].id != 0;
      }
    }
    struct pollfd ready = {.fd = sockets_descriptor(layer), .events = POLLIN};
    int polled = poll(&ready, 1, 1);
    turn++;
    size_t arena_length = SOCKETS_MIN_ARENA + any(3) * any(sizeof arena - SOCKETS_MIN_ARENA) / 2;
    size_t row_count = SOCKETS_MIN_ROWS + any(512 - SOCKETS_MIN_ROWS);
    int count = sockets_gather(layer, arena, arena_length, rows, row_count);
    CHECK(count >= 0 && (size_t)count <= row_count, "%d rows", count);
    for (int i = 0; i < count; i++) handle_row(rows + i * SOCKETS_ROW, arena);
    for (int i = 0; i < POOL; i++) {
      if (pool[i].id == 0) continue;
      for (int end = 0; end < 2; end++) advance(&pool[i], &pool[i].ends[end]);
    }
    /* Again, so that a batch has rows of one socket that are not adjacent. */
    for (int i = 0; i < POOL; i++) {
      if (pool[i].id == 0) continue;
      for (int end = 0; end < 2; end++) pump(&pool[i], &pool[i].ends[end]);
    }
    flush_batch();
    for (int i = 0; i < POOL; i++) {
      if (pool[i].id == 0) continue;
      for (int end = 0; end < 2; end++) conclude(&pool[i], &pool[i].ends[end]);
      finish_connection(&pool[i]);
    }
    sockets_end_turn(layer);
    if (count > 0) last_progress = now_ms();
    idle_turns = count == 0 && polled > 0 ? idle_turns + 1 : 0;
    CHECK(idle_turns < SPIN_TURNS, "the layer spins");
    if (now_ms() - last_progress >= STALL_MS) show_open();
    CHECK(now_ms() - last_progress < STALL_MS, "nothing happens: %" PRIu64 " of %" PRIu64, finished, connections);
  }
}

/* Sockets whose client went before the server knew it may be left. */
static void close_strangers(uint64_t one_of) {
  for (int32_t slot = 0; (size_t)slot < owner_count; slot++) {
    int32_t generation = sockets_generation(layer, slot);
    if (generation > 0 && owners[slot].connection < 0 && any(one_of) == 0) sockets_close(layer, slot, generation);
  }
}

/* Gathers until the layer is quiet. A layer that is never quiet spins. */
static void gather_all(int32_t *rows, int *count) {
  static uint8_t arena[SOCKETS_MIN_ARENA * 2];
  struct pollfd ready = {.fd = sockets_descriptor(layer), .events = POLLIN};
  *count = 0;
  for (int turns = 0; poll(&ready, 1, 50) > 0; turns++) {
    CHECK(turns < 1000, "the layer spins");
    *count += sockets_gather(layer, arena, sizeof arena, rows + *count * SOCKETS_ROW, 64 - (size_t)*count);
    sockets_end_turn(layer);
  }
}

/* Connects and returns the slots of both ends, of generations that `owners` does not know. */
static void connect_pair(int32_t *rows, int32_t *client, int32_t *server) {
  int count;
  *client = sockets_connect(layer, (struct sockaddr *)&addresses[0], address_lengths[0]);
  CHECK(*client >= 0, "connect");
  gather_all(rows, &count);
  for (int i = 0; i < count; i++) {
    if (rows[i * SOCKETS_ROW] == SOCKETS_ACCEPTED) *server = rows[i * SOCKETS_ROW + 1];
  }
}

/* Sockets that are paused, ended, reset or inert must not keep epoll ready; and accepted ones have TCP_NODELAY. */
static void check_quiet(void) {
  static int32_t rows[64 * SOCKETS_ROW];
  int count, is_set = 0;
  int32_t client, server = -1;
  socklen_t length = sizeof is_set;
  close_strangers(1);
  gather_all(rows, &count);
  for (int kind = 0; kind < 4; kind++) {
    connect_pair(rows, &client, &server);
    int32_t client_generation = sockets_generation(layer, client), generation = sockets_generation(layer, server);
    getsockopt(layer->slots[server].descriptor, IPPROTO_TCP, TCP_NODELAY, &is_set, &length);
    CHECK(is_set == 1, "an accepted socket has no TCP_NODELAY");
    if (kind >= 2) sockets_pause(layer, server, generation);
    sockets_write(layer, client, client_generation, (const uint8_t *)"last", 4);
    if (kind % 2 == 1) sockets_reset(layer, client, client_generation);
    else sockets_shutdown(layer, client, client_generation);
    gather_all(rows, &count);
    sockets_shutdown(layer, server, generation);
    gather_all(rows, &count);
    sockets_resume(layer, server, generation);
    gather_all(rows, &count);
    int last = count == 0 ? 0 : rows[(count - 1) * SOCKETS_ROW];
    if (kind >= 2) CHECK(last == (kind % 2 == 1 ? SOCKETS_ERROR : SOCKETS_END), "type %d after resume", last);
    sockets_close(layer, server, generation);
    sockets_close(layer, client, client_generation);
  }
}

int main(int count, char **arguments) {
  uint64_t connections = count > 1 ? strtoull(arguments[1], NULL, 10) : 10000;
  uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
  has_faults = count > 3 && arguments[3][0] == '1';
  random_state = seed * 2862933555777941757ULL + 3037000493ULL;
  char path[64];
  snprintf(path, sizeof path, "/tmp/portcullis-harness-%d.sock", (int)getpid());
  int descriptors = count_descriptors();
  layer = sockets_open(MAX_QUEUED);
  CHECK(layer != NULL, "open: %s", strerror(errno));
  listen_on(0, AF_INET, NULL);
  listen_on(1, AF_INET6, NULL);
  listen_on(2, AF_UNIX, path);
  run(connections);
  close_strangers(2);
  if (!has_faults) check_quiet();
  sockets_free(layer);
  free(owners);
  unlink(path);
  CHECK(allocations == 0, "%ld allocations are left", allocations);
  CHECK(count_descriptors() == descriptors, "%d descriptors are left", count_descriptors() - descriptors);
  printf("%" PRIu64 " connections, %" PRIu64 " orderly, %" PRIu64 " MiB checked, %" PRIu64 " turns, seed %" PRIu64
         "%s\n",
         finished, orderly, bytes_checked >> 20, turn, seed, has_faults ? ", with faults" : "");
  return 0;
}

/*
 * Lets JavaScript use core/sockets.h: checks arguments, watches the epoll descriptor with uv_poll, and
 * calls onEvents once per turn. Nothing else: the logic is in the core.
 *
 * The methods of a layer are functions that carry the layer as their data, so `this` does not matter. The
 * small struct `layer` lives until the environment (the process or a worker thread) ends; what it holds is
 * freed by `end`.
 */
#define _GNU_SOURCE
#define NAPI_VERSION 8
#include <errno.h>
#include <node_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "core/sockets.h"

typedef struct {
  napi_env env;
  sockets *core; /* NULL after the end */
  uv_poll_t poll;
  bool is_poll_closed;
  napi_async_cleanup_hook_handle hook;
  bool is_hook_running;
  napi_ref arena, events, on_events;
  size_t arena_length, row_count;
  napi_async_context context;
} layer;

/* ---- errors ---- */

static void error_name(int error, char *name, size_t size) {
  /* libuv has no name for this one. */
  if (error == ESTALE) snprintf(name, size, "ESTALE");
  else uv_err_name_r(-error, name, size);
}

/* Throws an Error with `code`, `errno` (negative, as Node has it) and `syscall`. */
static napi_value throw_error(napi_env env, int error, const char *action) {
  char code[64], reason[128], text[256];
  napi_value code_value, message, errno_value, action_value, object;
  error_name(error, code, sizeof code);
  if (error == ESTALE) snprintf(reason, sizeof reason, "no such open socket");
  else uv_strerror_r(-error, reason, sizeof reason);
  snprintf(text, sizeof text, "%s: %s, %s", code, reason, action);
  if (napi_create_string_utf8(env, code, NAPI_AUTO_LENGTH, &code_value) == napi_ok &&
      napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &message) == napi_ok &&
      napi_create_error(env, code_value, message, &object) == napi_ok &&
      napi_create_int32(env, -error, &errno_value) == napi_ok &&
      napi_set_named_property(env, object, "errno", errno_value) == napi_ok &&
      napi_create_string_utf8(env, action, NAPI_AUTO_LENGTH, &action_value) == napi_ok &&
      napi_set_named_property(env, object, "syscall", action_value) == napi_ok) {
    napi_throw(env, object);
  }
  return NULL;
}

static bool type_error(napi_env env, const char *message) {
  napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", message);
  return false;
}

static bool range_error(napi_env env, const char *message) {
  napi_throw_range_error(env, "ERR_OUT_OF_RANGE", message);
  return false;
}

/* ---- arguments ---- */

enum { MAX_ARGUMENTS = 5 };

/* Fills the arguments; those that are missing become undefined. Returns NULL, with an exception, after the end. */
static layer *begin(napi_env env, napi_callback_info info, napi_value arguments[MAX_ARGUMENTS]) {
  size_t count = MAX_ARGUMENTS;
  void *data = NULL;
  if (napi_get_cb_info(env, info, &count, arguments, NULL, &data) != napi_ok) return NULL;
  layer *self = data;
  if (self->core != NULL) return self;
  throw_error(env, EBADF, "the layer has ended");
  return NULL;
}

static bool get_int(napi_env env, napi_value value, const char *name, int32_t least, int32_t *result) {
  char message[128];
  double number;
  if (napi_get_value_double(env, value, &number) != napi_ok) {
    snprintf(message, sizeof message, "%s must be a number", name);
    return type_error(env, message);
  }
  if (!(number >= least && number <= INT32_MAX) || number != (double)(int32_t)number) {
    snprintf(message, sizeof message, "%s must be an integer from %d to %d", name, (int)least, INT32_MAX);
    return range_error(env, message);
  }
  *result = (int32_t)number;
  return true;
}

/* Finds the memory of a typed array. Shared memory is refused: another thread could change it between check and use. */
static bool get_memory(napi_env env, napi_value value, napi_typedarray_type wanted, const char *name, void **memory,
                       size_t *length) {
  char message[128];
  napi_typedarray_type type;
  napi_value buffer;
  bool is_typed_array = false, is_array_buffer = false;
  if (napi_is_typedarray(env, value, &is_typed_array) != napi_ok || !is_typed_array ||
      napi_get_typedarray_info(env, value, &type, length, memory, &buffer, NULL) != napi_ok || type != wanted ||
      napi_is_arraybuffer(env, buffer, &is_array_buffer) != napi_ok || !is_array_buffer) {
    snprintf(message, sizeof message, "%s must be an %s without shared memory", name,
             wanted == napi_int32_array ? "Int32Array" : "Uint8Array");
    return type_error(env, message);
  }
  return true;
}

/* Reads slot and generation, the first arguments of most methods. */
static layer *begin_socket(napi_env env, napi_callback_info info, napi_value arguments[MAX_ARGUMENTS], int32_t *slot,
                           int32_t *generation) {
  layer *self = begin(env, info, arguments);
  if (self == NULL || !get_int(env, arguments[0], "slot", INT32_MIN, slot) ||
      !get_int(env, arguments[1], "generation", INT32_MIN, generation)) {
    return NULL;
  }
  return self;
}

static napi_value to_number(napi_env env, double number) {
  napi_value value = NULL;
  napi_create_double(env, number, &value);
  return value;
}

static napi_value to_int(napi_env env, int32_t number) {
  napi_value value = NULL;
  napi_create_int32(env, number, &value);
  return value;
}

/* Reads a string without NUL into a buffer. */
static bool get_text(napi_env env, napi_value value, const char *name, char *text, size_t size) {
  char message[128];
  size_t length;
  if (napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok) {
    snprintf(message, sizeof message, "%s must be a string", name);
    return type_error(env, message);
  }
  if (length >= size || napi_get_value_string_utf8(env, value, text, size, &length) != napi_ok ||
      strlen(text) != length) {
    snprintf(message, sizeof message, "%s must be shorter than %zu octets and have no NUL", name, size);
    return range_error(env, message);
  }
  return true;
}

/* ---- methods ---- */

static napi_value js_listen(napi_env env, napi_callback_info info) {
  napi_value arguments[MAX_ARGUMENTS];
  int32_t descriptor, backlog;
  layer *self = begin(env, info, arguments);
  if (self == NULL || !get_int(env, arguments[0], "fd", 0, &descriptor) ||
      !get_int(env, arguments[1], "backlog", 0, &backlog)) {
    return NULL;
  }
  int result = sockets_listen(self->core, descriptor, backlog);
  return result < 0 ? throw_error(env, -result, "listen") : to_int(env, result);
}

static napi_value js_close_listener(napi_env env, napi_callback_info info) {
  napi_value arguments[MAX_ARGUMENTS];
  int32_t listener;
  layer *self = begin(env, info, arguments);
  if (self == NULL || !get_int(env, arguments[0], "listener", INT32_MIN, &listener)) return NULL;
  int result = sockets_close_listener(self->core, listener);
  return result < 0 ? throw_error(env, -result, "closeListener") : NULL;
}

static napi_value js_connect(napi_env env, napi_callback_info info) {
  napi_value arguments[MAX_ARGUMENTS];
  char host[128];
  int32_t port;
  struct sockaddr_storage address;
  socklen_t length;
  layer *self = begin(env, info, arguments);
  if (self == NULL || !get_text(env, arguments[0], "host", host, sizeof host) ||
      !get_int(env, arguments[1], "port", 0, &port)) {
    return NULL;
  }
  if (port > UINT16_MAX) {
    range_error(env, "port must be an integer from 0 to 65535");
    return NULL;
  }
  if (!sockets_parse_address(host, (uint16_t)port, &address, &length)) {
    range_error(env, "host must be an IPv4 or IPv6 address");
    return NULL;
  }
  int result = sockets_connect(self->core, (struct sockaddr *)&address, length);
  return result < 0 ? throw_error(env, -result, "connect") : to_int(env, result);
}

static napi_value js_connect_path(napi_env env, napi_callback_info info) {
  napi_value arguments[MAX_ARGUMENTS];
  char path[4096];
  layer *self = begin(env, info, arguments);
  if (self == NULL || !get_text(env, arguments[0], "path", path, sizeof path)) return NULL;
  int result = sockets_connect_path(self->core, path);
  return result < 0 ? throw_error(env, -result, "connect") : to_int(env, result);
}

static napi_value js_generation_of(napi_env env, napi_callback_info info) {
  napi_value arguments[MAX_ARGUMENTS];
  int32_t slot;
  layer *self = begin(env, info, arguments);
  if (self == NULL || !get_int(env, arguments[0], "slot", INT32_MIN, &slot)) return NULL;
  int32_t result = sockets_generation(self->core, slot);
  return result < 0 ? throw_error(env, -result, "generationOf") : to_int(env, result);
}

static napi_value js_write(napi_env env, napi_callback_info info) {
  napi_value arguments[MAX_ARGUMENTS];
  int32_t slot, generation, offset, length;
  void *octets;
  size_t size;
  layer *self = begin_socket(env, info, arguments, &slot, &generation);
  if (self == NULL || !get_int(env, arguments[3], "offset", 0, &offset) ||
      !get_int(env, arguments[4], "length", 0, &length) ||
      !get_memory(env, arguments[2], napi_uint8_array, "octets", &octets, &size)) {
    return NULL;
  }
  if ((size_t)offset > size || (size_t)length > size - (size_t)offset) {
    range_error(env, "offset and length must lie within octets");
    return NULL;
  }
  int result = sockets_write(self->core, slot, generation, (uint8_t *)octets + offset, (size_t)length);
  return result == -ESTALE ? throw_error(env, ESTALE, "write") : to_int(env, result);
}

static napi_value js_write_batch(napi_env env, napi_callback_info info) {
  napi_value arguments[MAX_ARGUMENTS];
  int32_t count;
  void *memory, *octets;
  size_t row_length, size;
  layer *self = begin(env, info, arguments);
  if (self == NULL || !get_memory(env, arguments[0], napi_int32_array, "rows", &memory, &row_length) ||
      !get_int(env, arguments[1], "count", 0, &count) ||
      !get_memory(env, arguments[2], napi_uint8_array, "octets", &octets, &size)) {
    return NULL;
  }
  int32_t *rows = memory;
  if ((size_t)count > row_length / SOCKETS_WRITE_ROW) {
    range_error(env, "count must not exceed the rows");
    return NULL;
  }
  /* Before anything is sent, so that an exception means: nothing was. */
  for (int32_t i = 0; i < count; i++) {
    int32_t offset = rows[i * SOCKETS_WRITE_ROW + 2], length = rows[i * SOCKETS_WRITE_ROW + 3];
    if (offset < 0 || length < 0 || (size_t)offset > size || (size_t)length > size - (size_t)offset) {
      range_error(env, "offset and length of every row must lie within octets");
      return NULL;
    }
  }
  sockets_write_batch(self->core, rows, (size_t)count, octets);
  return NULL;
}

typedef int operation(sockets *core, int32_t slot, int32_t generation);

static napi_value run(napi_env env, napi_callback_info info, operation *call, const char *name, bool has_result) {
  napi_value arguments[MAX_ARGUMENTS];
  int32_t slot, generation;
  layer *self = begin_socket(env, info, arguments, &slot, &generation);
  if (self == NULL) return NULL;
  int result = call(self->core, slot, generation);
  if (result < 0) return throw_error(env, -result, name);
  return has_result ? to_int(env, result) : NULL;
}

static int core_queued(sockets *core, int32_t slot, int32_t generation) {
  return sockets_queued(core, slot, generation);
}

static napi_value js_queued(napi_env env, napi_callback_info info) {
  return run(env, info, core_queued, "queued", true);
}
static napi_value js_has_input(napi_env env, napi_callback_info info) {
  napi_value arguments[MAX_ARGUMENTS], value = NULL;
  int32_t slot, generation;
  layer *self = begin_socket(env, info, arguments, &slot, &generation);
  if (self == NULL) return NULL;
  int result = sockets_has_input(self->core, slot, generation);
  if (result < 0) return throw_error(env, -result, "hasInput");
  napi_get_boolean(env, result != 0, &value);
  return value;
}
static napi_value js_pause(napi_env env, napi_callback_info info) {
  return run(env, info, sockets_pause, "pause", false);
}
static napi_value js_resume(napi_env env, napi_callback_info info) {
  return run(env, info, sockets_resume, "resume", false);
}
static napi_value js_shutdown(napi_env env, napi_callback_info info) {
  return run(env, info, sockets_shutdown, "shutdown", false);
}
static napi_value js_close(napi_env env, napi_callback_info info) {
  return run(env, info, sockets_close, "close", false);
}
static napi_value js_reset(napi_env env, napi_callback_info info) {
  return run(env, info, sockets_reset, "reset", false);
}
static napi_value js_detach(napi_env env, napi_callback_info info) {
  return run(env, info, sockets_detach, "detach", true);
}

static napi_value count_bytes(napi_env env, napi_callback_info info, bool is_read) {
  napi_value arguments[MAX_ARGUMENTS];
  int32_t slot, generation;
  uint64_t read, written;
  layer *self = begin_socket(env, info, arguments, &slot, &generation);
  if (self == NULL) return NULL;
  int result = sockets_bytes(self->core, slot, generation, &read, &written);
  if (result < 0) return throw_error(env, -result, is_read ? "bytesRead" : "bytesWritten");
  return to_number(env, (double)(is_read ? read : written));
}
static napi_value js_bytes_read(napi_env env, napi_callback_info info) { return count_bytes(env, info, true); }
static napi_value js_bytes_written(napi_env env, napi_callback_info info) { return count_bytes(env, info, false); }

static napi_value js_stats(napi_env env, napi_callback_info info) {
  napi_value arguments[MAX_ARGUMENTS], result;
  layer *self = begin(env, info, arguments);
  if (self == NULL || napi_create_object(env, &result) != napi_ok) return NULL;
  sockets_stats stats = sockets_get_stats(self->core);
  napi_set_named_property(env, result, "sockets", to_number(env, stats.sockets));
  napi_set_named_property(env, result, "listeners", to_number(env, stats.listeners));
  napi_set_named_property(env, result, "queuedOctets", to_number(env, (double)stats.queued_octets));
  return result;
}

static napi_value js_ref(napi_env env, napi_callback_info info) {
  napi_value arguments[MAX_ARGUMENTS];
  layer *self = begin(env, info, arguments);
  if (self != NULL) uv_ref((uv_handle_t *)&self->poll);
  return NULL;
}

static napi_value js_unref(napi_env env, napi_callback_info info) {
  napi_value arguments[MAX_ARGUMENTS];
  layer *self = begin(env, info, arguments);
  if (self != NULL) uv_unref((uv_handle_t *)&self->poll);
  return NULL;
}

/* ---- the end ---- */

static void free_layer(layer *self) {
  napi_remove_async_cleanup_hook(self->hook);
  free(self);
}

static void on_poll_closed(uv_handle_t *handle) {
  layer *self = handle->data;
  self->is_poll_closed = true;
  if (self->is_hook_running) free_layer(self);
}

/* Closes all sockets and stops watching. Safe within onEvents. */
static void end(layer *self) {
  if (self->core == NULL) return;
  uv_close((uv_handle_t *)&self->poll, on_poll_closed);
  sockets_free(self->core);
  self->core = NULL;
  napi_delete_reference(self->env, self->arena);
  napi_delete_reference(self->env, self->events);
  napi_delete_reference(self->env, self->on_events);
  napi_async_destroy(self->env, self->context);
}

static napi_value js_end(napi_env env, napi_callback_info info) {
  void *data = NULL;
  size_t count = 0;
  if (napi_get_cb_info(env, info, &count, NULL, NULL, &data) == napi_ok) end(data);
  return NULL;
}

/* The environment ends. No JavaScript runs from here on, so the methods can lose their layer. */
static void on_environment_end(napi_async_cleanup_hook_handle hook, void *data) {
  (void)hook;
  layer *self = data;
  self->is_hook_running = true;
  end(self);
  if (self->is_poll_closed) free_layer(self);
}

/* ---- the turn ---- */

/* Finds the memory that `open` was given. It may be gone: JavaScript can transfer a buffer to another thread. */
static bool find_memory(layer *self, uint8_t **arena, int32_t **rows) {
  napi_value arena_value, events_value;
  void *arena_memory, *events_memory;
  size_t arena_length, events_length;
  if (napi_get_reference_value(self->env, self->arena, &arena_value) != napi_ok ||
      napi_get_reference_value(self->env, self->events, &events_value) != napi_ok ||
      napi_get_typedarray_info(self->env, arena_value, NULL, &arena_length, &arena_memory, NULL, NULL) != napi_ok ||
      napi_get_typedarray_info(self->env, events_value, NULL, &events_length, &events_memory, NULL, NULL) != napi_ok ||
      arena_length < self->arena_length || events_length < self->row_count * SOCKETS_ROW) {
    return false;
  }
  *arena = arena_memory;
  *rows = events_memory;
  return true;
}

/* Gives a pending exception to process.on('uncaughtException'), as any callback does. */
static void report_exception(napi_env env) {
  bool is_pending = false;
  napi_value exception;
  if (napi_is_exception_pending(env, &is_pending) == napi_ok && is_pending &&
      napi_get_and_clear_last_exception(env, &exception) == napi_ok) {
    napi_fatal_exception(env, exception);
  }
}

static void call_on_events(layer *self, int count) {
  napi_value global, on_events, arguments[2] = {to_int(self->env, count), NULL};
  napi_get_boolean(self->env, sockets_has_more(self->core), &arguments[1]);
  if (napi_get_global(self->env, &global) == napi_ok &&
      napi_get_reference_value(self->env, self->on_events, &on_events) == napi_ok) {
    napi_make_callback(self->env, self->context, global, on_events, 2, arguments, NULL);
  }
  report_exception(self->env);
}

static void on_ready(uv_poll_t *handle, int status, int events) {
  (void)status;
  (void)events;
  layer *self = handle->data;
  napi_env env = self->env;
  napi_handle_scope scope;
  uint8_t *arena;
  int32_t *rows;
  if (self->core == NULL || napi_open_handle_scope(env, &scope) != napi_ok) return;
  if (find_memory(self, &arena, &rows)) {
    int count = sockets_gather(self->core, arena, self->arena_length, rows, self->row_count);
    if (count > 0) call_on_events(self, count);
    if (self->core != NULL) sockets_end_turn(self->core);
  } else {
    end(self);
    throw_error(env, EFAULT, "the arena or the events were transferred; the layer has ended");
    report_exception(env);
  }
  napi_close_handle_scope(env, scope);
}

/* ---- opening ---- */

static napi_value create_object(napi_env env, layer *self) {
#define METHOD(name, function) {name, NULL, function, NULL, NULL, NULL, napi_default_method, self}
  napi_property_descriptor methods[] = {
    METHOD("listen", js_listen),
    METHOD("closeListener", js_close_listener),
    METHOD("connect", js_connect),
    METHOD("connectPath", js_connect_path),
    METHOD("generationOf", js_generation_of),
    METHOD("write", js_write),
    METHOD("writeBatch", js_write_batch),
    METHOD("queued", js_queued),
    METHOD("hasInput", js_has_input),
    METHOD("pause", js_pause),
    METHOD("resume", js_resume),
    METHOD("shutdown", js_shutdown),
    METHOD("close", js_close),
    METHOD("reset", js_reset),
    METHOD("detach", js_detach),
    METHOD("bytesRead", js_bytes_read),
    METHOD("bytesWritten", js_bytes_written),
    METHOD("stats", js_stats),
    METHOD("ref", js_ref),
    METHOD("unref", js_unref),
    METHOD("end", js_end),
  };
#undef METHOD
  napi_value object;
  if (napi_create_object(env, &object) != napi_ok ||
      napi_define_properties(env, object, sizeof methods / sizeof *methods, methods) != napi_ok) {
    return NULL;
  }
  return object;
}

/* Starts the uv_poll. On failure nothing is left of the layer. */
static int start(napi_env env, layer *self, size_t max_queued) {
  uv_loop_t *loop;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok) return ENOSYS;
  self->core = sockets_open(max_queued);
  if (self->core == NULL) return errno;
  int failure = uv_poll_init(loop, &self->poll, sockets_descriptor(self->core));
  if (failure < 0) {
    sockets_free(self->core);
    return -failure;
  }
  self->poll.data = self;
  uv_poll_start(&self->poll, UV_READABLE, on_ready);
  return 0;
}

static napi_value js_open(napi_env env, napi_callback_info info) {
  napi_value options, arena, events, max_queued_value, on_events, name;
  size_t count = 1, arena_length, events_length;
  void *memory;
  int32_t max_queued;
  napi_valuetype type;
  if (napi_get_cb_info(env, info, &count, &options, NULL, NULL) != napi_ok) return NULL;
  if (napi_typeof(env, options, &type) != napi_ok || type != napi_object) {
    type_error(env, "open needs an object of options");
    return NULL;
  }
  if (napi_get_named_property(env, options, "arena", &arena) != napi_ok ||
      napi_get_named_property(env, options, "events", &events) != napi_ok ||
      napi_get_named_property(env, options, "maxQueuedOctets", &max_queued_value) != napi_ok ||
      napi_get_named_property(env, options, "onEvents", &on_events) != napi_ok ||
      !get_int(env, max_queued_value, "maxQueuedOctets", 1, &max_queued) ||
      !get_memory(env, arena, napi_uint8_array, "arena", &memory, &arena_length) ||
      !get_memory(env, events, napi_int32_array, "events", &memory, &events_length)) {
    return NULL;
  }
  if (arena_length < SOCKETS_MIN_ARENA || arena_length > INT32_MAX ||
      events_length < SOCKETS_MIN_ROWS * SOCKETS_ROW || events_length > INT32_MAX) {
    range_error(env, "arena must have 8192 octets or more, events 64 numbers or more");
    return NULL;
  }
  if (napi_typeof(env, on_events, &type) != napi_ok || type != napi_function) {
    type_error(env, "onEvents must be a function");
    return NULL;
  }
  layer *self = calloc(1, sizeof *self);
  if (self == NULL) return throw_error(env, ENOMEM, "open");
  self->env = env;
  self->arena_length = arena_length;
  self->row_count = events_length / SOCKETS_ROW;
  int failure = start(env, self, (size_t)max_queued);
  if (failure != 0) {
    free(self);
    return throw_error(env, failure, "open");
  }
  napi_add_async_cleanup_hook(env, on_environment_end, self, &self->hook);
  if (napi_create_reference(env, arena, 1, &self->arena) != napi_ok ||
      napi_create_reference(env, events, 1, &self->events) != napi_ok ||
      napi_create_reference(env, on_events, 1, &self->on_events) != napi_ok ||
      napi_create_string_utf8(env, "PortcullisSockets", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_async_init(env, NULL, name, &self->context) != napi_ok) {
    return NULL;
  }
  return create_object(env, self);
}

NAPI_MODULE_INIT() {
  napi_value open;
  if (napi_create_function(env, "open", NAPI_AUTO_LENGTH, js_open, NULL, &open) == napi_ok) {
    napi_set_named_property(env, exports, "open", open);
  }
  return exports;
}

import type { Server } from 'node:http';
import type { ListenerTimeouts } from '../../../domain/configuration/gateway-configuration.js';

/** How long a listener waits for its clients at the moment. */
export class ListenerPatience {
  readonly #server: Server;
  #timeouts: ListenerTimeouts;

  constructor(server: Server, timeouts: ListenerTimeouts) {
    this.#server = server;
    this.#timeouts = timeouts;
    this.change(timeouts);
  }

  get timeouts(): ListenerTimeouts {
    return this.#timeouts;
  }

  change(timeouts: ListenerTimeouts): void {
    this.#timeouts = timeouts;
    // Node looks at the one with each round over its connections, at the other when a response has ended.
    this.#server.headersTimeout = timeouts.headMs;
    this.#server.keepAliveTimeout = timeouts.idleMs;
  }
}

import type { Server } from 'node:http';
import type { EngineLimits } from '../../../application/ports/http-engine.js';
import type { ListenerTimeouts } from '../../../domain/configuration/gateway-configuration.js';
import type { BodyPatience } from './incoming-body.js';

/** How long a listener waits for its clients at the moment. */
export class ListenerPatience {
  readonly #server: Server;
  readonly #limits: EngineLimits;
  #timeouts: ListenerTimeouts;

  constructor(server: Server, limits: EngineLimits, timeouts: ListenerTimeouts) {
    this.#server = server;
    this.#limits = limits;
    this.#timeouts = timeouts;
    this.change(timeouts);
  }

  get timeouts(): ListenerTimeouts {
    return this.#timeouts;
  }

  get handshakeMs(): number {
    return Math.min(this.#limits.handshakeTimeoutMs, this.#timeouts.headMs);
  }

  /** For a body that begins now. Its pace is looked at once it was waited for, in all, as long as it may be silent. */
  get body(): BodyPatience {
    const { bodyMs: silenceMs, minBodyOctetsPerSecond } = this.#timeouts;
    return { silenceMs, minOctetsPerSecond: minBodyOctetsPerSecond, graceMs: silenceMs };
  }

  change(timeouts: ListenerTimeouts): void {
    this.#timeouts = timeouts;
    // Node looks at the one with each round over its connections, at the other when a response has ended.
    this.#server.headersTimeout = timeouts.headMs;
    this.#server.keepAliveTimeout = timeouts.idleMs;
  }
}

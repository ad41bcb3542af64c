import type { EngineLimits } from '../../../../application/ports/gateway/http-engine.js';
import type { ListenerTimeouts } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { BodyPace } from '../../../../domain/gateway/limits/body-pace.js';

/** How long the client of a body is waited for. */
export interface BodyPatience extends BodyPace {
  /** Of silence, in milliseconds. */
  readonly silenceMs: number;
}

const bodyPatience = ({ bodyMs: silenceMs, minBodyOctetsPerSecond }: ListenerTimeouts): BodyPatience => ({
  silenceMs,
  minOctetsPerSecond: minBodyOctetsPerSecond,
  graceMs: silenceMs,
});

/** How long a listener waits for its clients at the moment. */
export class ListenerTimers {
  readonly #limits: EngineLimits;
  #timeouts: ListenerTimeouts;
  #body: BodyPatience;

  constructor(limits: EngineLimits, timeouts: ListenerTimeouts) {
    this.#limits = limits;
    this.#timeouts = timeouts;
    this.#body = bodyPatience(timeouts);
  }

  get timeouts(): ListenerTimeouts {
    return this.#timeouts;
  }

  get handshakeMs(): number {
    return Math.min(this.#limits.handshakeTimeoutMs, this.#timeouts.headMs);
  }

  /** For a body that begins now. Its pace is looked at once it was waited for, in all, as long as it may be silent. */
  get body(): BodyPatience {
    return this.#body;
  }

  change(timeouts: ListenerTimeouts): void {
    this.#timeouts = timeouts;
    this.#body = bodyPatience(timeouts);
  }
}

import type { EngineLimits } from '../../../../application/ports/gateway/http-engine.js';
import type { ListenerTimeouts } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { BodyPace } from '../../../../domain/gateway/limits/body-pace.js';

/** Timeouts for reading a request body. */
export interface BodyPatience extends BodyPace {
  /** Longest silence, in milliseconds. */
  readonly silenceMs: number;
}

const bodyPatience = ({ bodyMs: silenceMs, minBodyOctetsPerSecond }: ListenerTimeouts): BodyPatience => ({
  silenceMs,
  minOctetsPerSecond: minBodyOctetsPerSecond,
  graceMs: silenceMs,
});

/** Current timeouts of a listener. */
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

  /**
   * Timeouts for a body that begins now. The pace check starts after one silence timeout of total
   * waiting.
   */
  get body(): BodyPatience {
    return this.#body;
  }

  change(timeouts: ListenerTimeouts): void {
    this.#timeouts = timeouts;
    this.#body = bodyPatience(timeouts);
  }
}

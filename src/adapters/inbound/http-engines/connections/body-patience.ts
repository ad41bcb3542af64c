import type { BodyPace } from '../../../../domain/gateway/limits/body-pace.js';

/** How long the client of a body is waited for. */
export interface BodyPatience extends BodyPace {
  /** Of silence, in milliseconds. */
  readonly silenceMs: number;
}

import { Secret } from '../../../../domain/shared/secret.js';
import { type TicketKeys, ticketKeyOctets } from '../../../ports/gateway/ticket-keys.js';
import type { Random } from '../../../ports/shared/random.js';
import type { Scheduler } from '../../../ports/shared/scheduler.js';

/** Interval between two rotations, in milliseconds. A key is forgotten after twice this time. */
export const rotationMs = 3_600_000;

/** Makes the ticket keys of a gateway and replaces them periodically, so that a leaked key opens few sessions. */
export class TicketKeyRotation {
  readonly #random: Pick<Random, 'hex'>;
  readonly #told: (keys: TicketKeys) => void;
  #keys: TicketKeys;

  /** @param told receives the keys after each rotation */
  constructor(random: Pick<Random, 'hex'>, scheduler: Pick<Scheduler, 'every'>, told: (keys: TicketKeys) => void) {
    this.#random = random;
    this.#told = told;
    this.#keys = { current: this.#newKey(), previous: null };
    scheduler.every(rotationMs, () => this.#rotate());
  }

  get keys(): TicketKeys {
    return this.#keys;
  }

  #rotate(): void {
    this.#keys = { current: this.#newKey(), previous: this.#keys.current };
    this.#told(this.#keys);
  }

  #newKey(): Secret {
    return new Secret(this.#random.hex(ticketKeyOctets));
  }
}

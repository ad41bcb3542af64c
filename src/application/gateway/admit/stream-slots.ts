import type { PermitBook, Permits } from '../../ports/gateway/permits.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { InFlightCount, RequestSlot } from './request-slots.js';

/** Age from which a gRPC response counts as a stream, and the time between two tries; milliseconds. */
export const streamAgeMs = 10_000;

/**
 * The slot of a request whose response may last. It leaves the requests in flight once it counts as a stream; route
 * and client still count it. At most `max-total-connections` requests of all workers are streams. Without a free
 * permit a request stays in flight and tries again after `streamAgeMs`.
 */
export class StreamSlot {
  readonly kind = 'stream';
  readonly #slot: RequestSlot;
  readonly #slots: StreamSlots;
  #state: 'in flight' | 'stream' | 'ended' = 'in flight';
  #nextTry: ScheduledTask | null = null;

  constructor(slot: RequestSlot, slots: StreamSlots) {
    this.#slot = slot;
    this.#slots = slots;
  }

  /** Tries to become a stream after `delayMs`; 0: at once. */
  tryAfter(delayMs: number): void {
    if (delayMs === 0) this.#try();
    else this.#nextTry = this.#slots.scheduler.after(delayMs, () => this.#try());
  }

  /** The request has ended. Later calls have no effect. */
  release(): void {
    const state = this.#state;
    this.#state = 'ended';
    this.#nextTry?.cancel();
    this.#nextTry = null;
    if (state === 'in flight') this.#slot.release();
    else if (state === 'stream') {
      this.#slots.permits.giveBack();
      this.#slot.giveUp();
    }
  }

  #try(): void {
    this.#nextTry = null;
    const outcome = this.#slots.permits.take();
    if (outcome === 'unknown') void this.#ask();
    else this.#settle(outcome === 'taken');
  }

  async #ask(): Promise<void> {
    this.#settle(await this.#slots.permits.ask());
  }

  #settle(isTaken: boolean): void {
    if (this.#state === 'ended') {
      if (isTaken) this.#slots.permits.giveBack();
    } else if (isTaken) {
      this.#state = 'stream';
      this.#slots.inFlight.decrement();
    } else this.tryAfter(streamAgeMs);
  }
}

/** The streams of one worker. */
export class StreamSlots {
  readonly scheduler: Scheduler;
  readonly permits: Permits;
  readonly inFlight: InFlightCount;

  constructor(scheduler: Scheduler, book: PermitBook, inFlight: InFlightCount) {
    this.scheduler = scheduler;
    this.permits = book.open('streams', '');
    this.inFlight = inFlight;
  }

  /** Streams of this worker. */
  get taken(): number {
    return this.permits.taken;
  }

  /**
   * Takes over the slot of a request in flight.
   *
   * @param delayMs time until it counts as a stream; 0: at once
   */
  track(slot: RequestSlot, delayMs: number): StreamSlot {
    const stream = new StreamSlot(slot, this);
    stream.tryAfter(delayMs);
    return stream;
  }
}

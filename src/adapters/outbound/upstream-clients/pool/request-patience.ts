import type { UpstreamFailure, UpstreamRequest } from '../../../../application/ports/gateway/upstream-client.js';
import { waitText } from './target-connections.js';

/** One that has waited for a connection is not sent with less than this part of its time-out: nobody could answer it. */
const leastPart = 1 / 10;
/** A target that was given less than this part of the time-out has not been late. */
const fairPart = 1 / 2;

/** How the time of one request goes by, and whose fault it is where it is over. */
export class RequestPatience {
  readonly #request: Pick<UpstreamRequest, 'timeoutMs' | 'patienceMs'>;
  /** When a connection was asked for; monotonic milliseconds. */
  #beganMs = 0;
  /** When it was the target's turn: it had the connection, or all of a body in pieces; monotonic milliseconds. */
  #askedMs = 0;

  constructor(request: Pick<UpstreamRequest, 'timeoutMs' | 'patienceMs'>) {
    this.#request = request;
  }

  /** A connection is asked for: until it has to be waited for, it is the target's turn. */
  begin(nowMs = performance.now()): void {
    this.#beganMs = nowMs;
    this.#askedMs = nowMs;
  }

  /** It is the target's turn. */
  noteAsked(nowMs = performance.now()): void {
    this.#askedMs = nowMs;
  }

  /** Of a request that has waited for a connection and would get one now: why it is not sent. Null: it is. */
  refusal(): UpstreamFailure | null {
    const { timeoutMs, patienceMs } = this.#request;
    const leftMs = timeoutMs - (performance.now() - this.#beganMs);
    if (leftMs >= patienceMs * leastPart) return null;
    return { code: 'overloaded', detail: `no free connection in good time within ${waitText(timeoutMs)}` };
  }

  /**
   * The time is over. The target cannot be blamed for what the gateway's own queues, or other targets, took of it.
   *
   * @param missing what has not come
   * @param overMs when it was over, however late the timer is; by `performance.now`
   */
  lateness(missing: 'free connection' | 'connection' | 'answer', overMs = performance.now()): UpstreamFailure {
    const { timeoutMs, patienceMs } = this.#request;
    const late = `no ${missing} within ${waitText(timeoutMs)}`;
    if (missing === 'free connection') return { code: 'overloaded', detail: late };
    // Timers may be early by a millisecond.
    const isFair = overMs - this.#askedMs + 1 >= patienceMs * fairPart;
    if (isFair) return { code: 'timed_out', detail: late };
    return { code: 'overloaded', detail: `no ${missing} in what was left of ${waitText(patienceMs)}` };
  }
}

import type { UpstreamFailure, UpstreamRequest } from '../../../../application/ports/gateway/upstream-client.js';
import { waitText } from './target-connections.js';

/**
 * A request that waited for a connection is not sent with less than this part of its timeout; no
 * target could answer in time.
 */
const leastPart = 1 / 10;
/** A target that had less than this part of the timeout is not blamed. */
const fairPart = 1 / 2;

/** Tracks the timeout of a request and whether the target or the gateway is at fault. */
export class RequestTimeout {
  readonly #request: Pick<UpstreamRequest, 'timeoutMs' | 'configuredTimeoutMs'>;
  /** When a connection was requested; monotonic milliseconds. */
  #beganMs = 0;
  /**
   * When the target's time started: with the connection, or after a streamed body; monotonic
   * milliseconds.
   */
  #askedMs = 0;

  constructor(request: Pick<UpstreamRequest, 'timeoutMs' | 'configuredTimeoutMs'>) {
    this.#request = request;
  }

  /** A connection is requested. The target's time runs until the request has to wait for one. */
  begin(nowMs = performance.now()): void {
    this.#beganMs = nowMs;
    this.#askedMs = nowMs;
  }

  /** The target's time starts. */
  noteAsked(nowMs = performance.now()): void {
    this.#askedMs = nowMs;
  }

  /** After a wait for a connection: why the request is not sent; null if it is. */
  refusal(): UpstreamFailure | null {
    const { timeoutMs, configuredTimeoutMs } = this.#request;
    const leftMs = timeoutMs - (performance.now() - this.#beganMs);
    if (leftMs >= configuredTimeoutMs * leastPart) return null;
    return { code: 'overloaded', detail: `no free connection in good time within ${waitText(timeoutMs)}` };
  }

  /**
   * The failure for a passed timeout. The target is not blamed for time spent in queues or on other
   * targets.
   * @param missing what did not arrive
   * @param overMs when the timeout passed, however late the timer fired; as in `performance.now`
   */
  timeoutFailure(missing: 'free connection' | 'connection' | 'answer', overMs = performance.now()): UpstreamFailure {
    const { timeoutMs, configuredTimeoutMs } = this.#request;
    const late = `no ${missing} within ${waitText(timeoutMs)}`;
    if (missing === 'free connection') return { code: 'overloaded', detail: late };
    // Timers may fire a millisecond early.
    const isFair = overMs - this.#askedMs + 1 >= configuredTimeoutMs * fairPart;
    if (isFair) return { code: 'timed_out', detail: late };
    return { code: 'overloaded', detail: `no ${missing} in what was left of ${waitText(configuredTimeoutMs)}` };
  }
}

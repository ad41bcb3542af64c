import { constants } from 'node:http2';

/**
 * Token bucket for resets that this side sends per session: burst, then refill per second. Servers
 * close sessions with many resets (CVE-2023-44487): nghttp2 at 1,000 and 33 a second, Netty at 200
 * in 30 seconds. INVARIANT: together with `maxStreams` open streams, fewer than 200 in any 30
 * seconds.
 */
const burst = 50;
const perSecond = 1.5;

/** Reset codes of this side; peers may use them too, which is harmless. */
const ours: ReadonlySet<number> = new Set([
  constants.NGHTTP2_CANCEL,
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_FLOW_CONTROL_ERROR,
  constants.NGHTTP2_STREAM_CLOSED,
  constants.NGHTTP2_FRAME_SIZE_ERROR,
  constants.NGHTTP2_ENHANCE_YOUR_CALM,
]);

/** Counts the resets of one session. */
export class ResetBudget {
  #spent = 0;
  #countedMs = 0;

  /**
   * Call it at the end of each stream. False: do not reset more streams.
   * @param code reset code; 0 is a normal end
   */
  bears(code: number, nowMs: number): boolean {
    if (!ours.has(code)) return true;
    const regained = ((nowMs - this.#countedMs) * perSecond) / 1_000;
    this.#spent = Math.max(0, this.#spent - regained) + 1;
    this.#countedMs = nowMs;
    return this.#spent < burst;
  }
}

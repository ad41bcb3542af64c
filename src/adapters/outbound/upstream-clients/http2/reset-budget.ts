import { constants } from 'node:http2';

/**
 * Resets that this side may send on one session before it is given up, and what it gets back in a second. Servers end the
 * session of a peer that resets in masses (CVE-2023-44487), with all the requests of others on it: nghttp2 at 1,000 and 33 a
 * second, Netty at 200 in 30 seconds. INVARIANT: with those of the streams that are still open then (`maxStreams`), fewer than 200
 * in any 30 seconds.
 */
const burst = 50;
const perSecond = 1.5;

/** Those that are this side's: it wants no more, or refuses what it got. That a peer may use them too does no harm. */
const ours: ReadonlySet<number> = new Set([
  constants.NGHTTP2_CANCEL,
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_FLOW_CONTROL_ERROR,
  constants.NGHTTP2_STREAM_CLOSED,
  constants.NGHTTP2_FRAME_SIZE_ERROR,
  constants.NGHTTP2_ENHANCE_YOUR_CALM,
]);

/** Counts the resets that one session has been burdened with. */
export class ResetBudget {
  #spent = 0;
  #countedMs = 0;

  /** To be told of the end of each stream. False: no more streams are to be reset. @param code what it was reset for; 0: it ended well */
  bears(code: number, nowMs: number): boolean {
    if (!ours.has(code)) return true;
    const regained = ((nowMs - this.#countedMs) * perSecond) / 1_000;
    this.#spent = Math.max(0, this.#spent - regained) + 1;
    this.#countedMs = nowMs;
    return this.#spent < burst;
  }
}

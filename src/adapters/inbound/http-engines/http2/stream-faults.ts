import { constants } from 'node:http2';

/** What the streams of a connection may have cost at once: 100 faults, or 500 streams that were reset. */
const burst = 500;

/** What is forgiven in a second. */
const forgivenPerSecond = 50;

const faultCost = 5;

/** Ends of streams that the client has not brought about, or that are none of its fault. */
const harmless: ReadonlySet<number> = new Set([constants.NGHTTP2_INTERNAL_ERROR]);

const faults: ReadonlySet<number> = new Set([
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_FLOW_CONTROL_ERROR,
  constants.NGHTTP2_STREAM_CLOSED,
  constants.NGHTTP2_FRAME_SIZE_ERROR,
  constants.NGHTTP2_REFUSED_STREAM,
  constants.NGHTTP2_ENHANCE_YOUR_CALM,
]);

/**
 * Counts the streams of a connection that the client has reset (CVE-2023-44487), and those that it had the gateway reset by
 * breaking the rules, which cost the same. nghttp2 counts the former alone, and leaves the connection standing.
 */
export class StreamFaults {
  #cost = 0;
  #countedMs = 0;

  /** To be told of the end of each stream. @param code what it was reset for; 0: it may have ended well */
  areTooMany(code: number, nowMs: number): boolean {
    if (code === constants.NGHTTP2_NO_ERROR || harmless.has(code)) return false;
    const forgiven = ((nowMs - this.#countedMs) * forgivenPerSecond) / 1_000;
    this.#cost = Math.max(0, this.#cost - forgiven) + (faults.has(code) ? faultCost : 1);
    this.#countedMs = nowMs;
    return this.#cost > burst;
  }
}

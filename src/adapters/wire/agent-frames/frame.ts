import type { MessageName } from './message-codes.js';

/** Octets of the length field of a frame. */
export const lengthFieldBytes = 4;
/** Octets of the length field and the type byte. */
export const frameHeadBytes = 5;
/** Most that the length field may say; it counts the type byte and the payload. */
export const maximumFrameLength = 16_777_216;

/** One message as it came. */
export interface Frame {
  readonly name: MessageName;
  /** A view into what was read: good until the next read. */
  readonly payload: Uint8Array;
}

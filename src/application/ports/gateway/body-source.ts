import type { HeaderList } from '../../../domain/http/header-list.js';

/** A source of pieces whose memory can be reused. */
export interface PieceOrigin {
  /**
   * Returns a piece from `read` for reuse: the caller must not access it again. Optional: otherwise
   * the garbage collector frees it.
   */
  reuse?(piece: Uint8Array): void;
}

/**
 * A message body, read on demand. Nothing is read ahead beyond the socket's buffer, which gives
 * backpressure.
 */
export interface BodySource extends PieceOrigin {
  /** The declared length in octets; null if unknown (chunked). */
  readonly declaredLength: number | null;

  /**
   * The next piece, null at the end; a promise only if it must wait. Throws or rejects with a
   * BodyReadError if the body is truncated or malformed.
   */
  read(): Uint8Array | null | Promise<Uint8Array | null>;

  /**
   * An alternative to `read`: the whole body, one character per octet. Null if it is not available
   * at once or was read already; then call `read`.
   */
  readText?(): string | null;

  /** The trailer section; empty until `read` has returned null. */
  trailers(): HeaderList;

  /** Discards the rest. */
  cancel(): void;
}

/** Why a body could not be read to its end. */
export class BodyReadError extends Error {
  readonly code: 'aborted' | 'malformed' | 'timed_out';

  constructor(code: 'aborted' | 'malformed' | 'timed_out', message: string) {
    super(message);
    this.name = 'BodyReadError';
    this.code = code;
  }
}

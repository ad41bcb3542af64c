import type { HeaderList } from '../../../domain/http/header-list.js';

/** Where pieces come from that may be used again. */
export interface PieceOrigin {
  /**
   * Nobody looks at this piece any more, which `read` has given: its memory may be that of another piece from now on. Where
   * it is not called, or there is none, the memory is collected as any other.
   */
  reuse?(piece: Uint8Array): void;
}

/**
 * A message body that is pulled. Nothing is read ahead of `read` but what is in the socket's own buffer, so backpressure
 * comes by itself.
 */
export interface BodySource extends PieceOrigin {
  /** Octets, where the message says so; null where it does not (chunked). */
  readonly declaredLength: number | null;

  /**
   * The next piece, or null at the end: at once where it is there, else a promise. Throws, or rejects with, a
   * BodyReadError where the body ended early or was malformed.
   */
  read(): Uint8Array | null | Promise<Uint8Array | null>;

  /**
   * In place of `read`: all of it at once, one character for each octet. Null where it is not there so, or was read: `read`
   * says which.
   */
  readText?(): string | null;

  /** The trailer section; empty until `read` has given null. */
  trailers(): HeaderList;

  /** The rest is not wanted. */
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

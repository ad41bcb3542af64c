import type { ContentCoding } from '../../../domain/http/content-codings.js';
import { BodyReadError, type BodySource } from './body-source.js';

/** A body is not what its content coding says: malformed, cut short, or followed by octets that belong to nothing. */
export class InflationError extends BodyReadError {
  constructor(message: string) {
    super('malformed', message);
    this.name = 'InflationError';
  }
}

/** Takes content codings off bodies. */
export interface BodyInflater {
  /**
   * The body without this coding, its length not known. It is inflated as it is read, and `body` is read for nothing but
   * a read that waits; pieces are of at most 64 KiB, and how many of them are too many is for the reader to say. Reading
   * rejects with an InflationError where the body is malformed, and with the error of `body` where that cannot be read.
   * A body without a single octet stays one.
   */
  inflate(body: BodySource, coding: ContentCoding): BodySource;
}

import type { ContentCoding } from '../../../domain/http/content-codings.js';
import { BodyReadError, type BodySource } from './body-source.js';

/** A body does not match its content coding: malformed, truncated, or followed by extra octets. */
export class InflationError extends BodyReadError {
  constructor(message: string) {
    super('malformed', message);
    this.name = 'InflationError';
  }
}

/** Decodes content codings of bodies. */
export interface BodyInflater {
  /**
   * Returns the decoded body, of unknown length. Decodes on demand, in pieces of at most 64 KiB;
   * the reader limits the total size.
   * Reading rejects with an InflationError for a malformed body, or with the error of `body`. An
   * empty body stays empty.
   */
  inflate(body: BodySource, coding: ContentCoding): BodySource;
}

import type { BodySource } from '../../../../application/ports/gateway/body-source.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';

import { reuse } from './octet-copies.js';

/** A complete body that arrived with its head. */
export class WholeBody implements BodySource {
  readonly declaredLength: number;
  #octets: Uint8Array | null;

  /** Null for an empty body. */
  constructor(octets: Uint8Array | null) {
    this.#octets = octets;
    this.declaredLength = octets === null ? 0 : octets.length;
  }

  read(): Uint8Array | null {
    const octets = this.#octets;
    this.#octets = null;
    return octets;
  }

  reuse(piece: Uint8Array): void {
    reuse(piece);
  }

  trailers(): HeaderList {
    return noHeaders;
  }

  cancel(): void {
    this.#octets = null;
  }
}

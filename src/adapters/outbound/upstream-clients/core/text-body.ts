import type { BodySource } from '../../../../application/ports/gateway/body-source.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';

/** Longest body kept as text; longer ones gain nothing. */
export const maxTextOctets = 4_096;

/** A short complete body kept as text, like its head, so that both are written together. */
export class TextBody implements BodySource {
  readonly declaredLength: number;
  #text: string | null;
  readonly #start: number;

  /** The body starts at `start`, one character per octet. */
  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
    this.declaredLength = text.length - start;
  }

  read(): Uint8Array | null {
    const text = this.readText();
    return text === null ? null : Buffer.from(text, 'latin1');
  }

  readText(): string | null {
    const text = this.#text;
    this.#text = null;
    return text === null ? null : text.slice(this.#start);
  }

  trailers(): HeaderList {
    return noHeaders;
  }

  cancel(): void {
    this.#text = null;
  }
}

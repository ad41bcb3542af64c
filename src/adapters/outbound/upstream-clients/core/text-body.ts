import type { BodySource } from '../../../../application/ports/gateway/body-source.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';

/** Octets of a body that is kept as text: one that is longer is no cheaper so. */
export const maxTextOctets = 4_096;

/** A short body that has come with its head, all of it: as text, like that, so that both can go on in one piece. */
export class TextBody implements BodySource {
  readonly declaredLength: number;
  #text: string | null;
  readonly #start: number;

  /** The body is what is behind `start`, one character for each octet. */
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

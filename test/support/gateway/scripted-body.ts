import { BodyReadError, type BodySource } from '../../../src/application/ports/gateway/body-source.js';
import { noHeaders } from '../../../src/domain/http/header-list.js';

/** A body in the pieces that a test gives; `null` among them breaks it off. */
export class ScriptedBody implements BodySource {
  reads = 0;
  isCancelled = false;
  readonly #pieces: (Uint8Array | null)[];

  constructor(
    pieces: readonly (Uint8Array | string | null)[],
    readonly declaredLength: number | null = null,
  ) {
    this.#pieces = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  }

  async read(): Promise<Uint8Array | null> {
    this.reads += 1;
    const piece = this.#pieces.shift();
    if (piece === null) throw new BodyReadError('aborted', 'the client went away');
    return piece ?? null;
  }

  trailers(): readonly string[] {
    return noHeaders;
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

/** All of a body. */
export const bodyOctets = async (body: BodySource | null): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for (let piece = await body?.read(); piece; piece = await body?.read()) pieces.push(piece);
  return Buffer.concat(pieces);
};

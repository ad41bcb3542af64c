import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Characters that are gathered before they are written. */
const batchLength = 64 * 1024;

/** Writes lines to a stream, no faster than its reader takes them. */
export class LineOutput {
  readonly #stream: Writable;
  #gathered = '';
  #hasFailed = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', () => {
      this.#hasFailed = true;
    });
  }

  /** Whether the reader has gone away, so that nothing that is written arrives. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Resolves once there is room for another line. */
  async line(text: string): Promise<void> {
    this.#gathered += `${text}\n`;
    if (this.#gathered.length >= batchLength) await this.flush();
  }

  /** Resolves once what was gathered is with the stream. */
  async flush(): Promise<void> {
    const text = this.#gathered;
    this.#gathered = '';
    if (text === '' || this.#hasFailed || this.#stream.write(text)) return;
    // Rejects with the stream's error, which the listener above has noted.
    await once(this.#stream, 'drain').catch(() => undefined);
  }
}

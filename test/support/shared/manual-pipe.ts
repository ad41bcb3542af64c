import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.js';

/** A pipe of the system whose reader reads when the test says so. */
export class ManualPipe {
  /** Where to write. */
  readonly writeEnd: number;
  readonly #readEnd: number;
  readonly #folder: TemporaryFolder;
  #hasReader = true;

  /** @param blocking whether a write to the full pipe waits in the system, or fails with EAGAIN */
  constructor(blocking: boolean) {
    this.#folder = temporaryFolder();
    const path = this.#folder.file('pipe');
    execFileSync('mkfifo', [path]);
    this.#readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    this.writeEnd = openSync(path, constants.O_WRONLY | (blocking ? 0 : constants.O_NONBLOCK));
  }

  /** What is in the pipe now. */
  read(): string {
    const pieces: Buffer[] = [];
    const piece = Buffer.alloc(1024 * 1024);
    for (;;) {
      const count = this.#readSome(piece);
      if (count === 0) return Buffer.concat(pieces).toString();
      pieces.push(Buffer.from(piece.subarray(0, count)));
    }
  }

  #readSome(piece: Buffer): number {
    try {
      return readSync(this.#readEnd, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
      throw error;
    }
  }

  /** The reader goes away. */
  closeReader(): void {
    if (this.#hasReader) closeSync(this.#readEnd);
    this.#hasReader = false;
  }

  remove(): void {
    this.closeReader();
    closeSync(this.writeEnd);
    this.#folder.remove();
  }
}

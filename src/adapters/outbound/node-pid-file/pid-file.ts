import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The PID file, for scripts that send signals. */
export class PidFile {
  readonly #path: string;
  readonly #text: string;

  constructor(path: string, pid: number) {
    this.#path = path;
    this.#text = `${pid}\n`;
  }

  /** Replaces the file atomically. Throws the system's error. */
  write(): void {
    // Others may write to the folder: the random name is unpredictable, and `wx` follows no link.
    const next = `${this.#path}.${randomBytes(9).toString('hex')}`;
    try {
      writeFileSync(next, this.#text, { mode: 0o644, flag: 'wx' });
      renameSync(next, this.#path);
    } catch (error) {
      rmSync(next, { force: true });
      throw error;
    }
  }

  /** Removes the file if it still names this process; a successor may have written its own. */
  remove(): void {
    try {
      if (readFileSync(this.#path, 'utf8') === this.#text) rmSync(this.#path);
    } catch {
      // The file is absent or not removable.
    }
  }
}

import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The file that says which process is in charge, for scripts that send it signals. */
export class PidFile {
  readonly #path: string;
  readonly #text: string;

  constructor(path: string, pid: number) {
    this.#path = path;
    this.#text = `${pid}\n`;
  }

  /** In place of the one that is there, so that nobody ever reads half a number. Throws the system's error. */
  write(): void {
    // The folder may be one that others write to: no link of theirs is followed, and no name is there to be foreseen.
    const next = `${this.#path}.${randomBytes(9).toString('hex')}`;
    try {
      writeFileSync(next, this.#text, { mode: 0o644, flag: 'wx' });
      renameSync(next, this.#path);
    } catch (error) {
      rmSync(next, { force: true });
      throw error;
    }
  }

  /** Where it still names this process: a successor may have written its own. */
  remove(): void {
    try {
      if (readFileSync(this.#path, 'utf8') === this.#text) rmSync(this.#path);
    } catch {
      // There is nothing to remove, or nobody may.
    }
  }
}

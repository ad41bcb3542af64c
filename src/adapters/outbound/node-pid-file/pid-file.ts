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
    const next = `${this.#path}.${this.#text.trim()}`;
    try {
      writeFileSync(next, this.#text, { mode: 0o644 });
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

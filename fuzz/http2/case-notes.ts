import { openSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Characters of one note. */
const width = 12;

/** A file that names the cases under way, for what ends the process at once and says nothing of it. */
export class CaseNotes {
  readonly #file: number;
  readonly #lanes: number;
  #next = 0;

  constructor(part: string, lanes: number) {
    const path = join(tmpdir(), `portcullis-fuzz-${part}-cases.txt`);
    this.#file = openSync(path, 'w', 0o600);
    this.#lanes = lanes;
    console.error(`${part}: the numbers of the last cases are in ${path}, should the process break down`);
  }

  note(index: number): void {
    writeSync(this.#file, `${String(index).padStart(width - 1)}\n`, (this.#next % (this.#lanes * 2)) * width);
    this.#next += 1;
  }
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const casesBetween = 20;

/** Has garbage collected now and then: what node:http2 leaves of a connection shows only when it is let go of. */
export class Garbage {
  readonly #collect: (options?: { type: 'minor' }) => void;
  #cases = 0;

  constructor() {
    setFlagsFromString('--expose-gc');
    this.#collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
  }

  /** A case is over. */
  note(): void {
    this.#cases += 1;
    if (this.#cases % (casesBetween * 4) === 0) this.#collect();
    else if (this.#cases % casesBetween === 0) this.#collect({ type: 'minor' });
  }
}

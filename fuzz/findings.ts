import { appendFileSync } from 'node:fs';

/** Something that must not be. */
export interface Finding {
  /** One sentence. */
  readonly what: string;
  /** What was sent, each character one octet. */
  readonly input: string;
  readonly ours: string;
  /** How the other reader has it; empty where there is no other. */
  readonly theirs: string;
}

/** The case of a run that it came of. */
export interface FoundCase {
  readonly part: string;
  readonly seed: number;
  readonly index: number;
}

const longestShown = 4_000;

/** Octets as people can read them, line by line. */
export const printable = (text: string): string =>
  JSON.stringify(text.slice(0, longestShown)).replace(
    /[\x7f-\xff]/g,
    (octet) => `\\x${octet.charCodeAt(0).toString(16)}`,
  );

export const hexadecimal = (text: string): string => Buffer.from(text.slice(0, longestShown), 'latin1').toString('hex');

const render = ({ part, seed, index }: FoundCase, { what, input, ours, theirs }: Finding): string =>
  [
    `${part}: ${what}`,
    `  again:  npm run fuzz -- --only ${part} --seed ${seed} --case ${index}`,
    `  input:  ${printable(input)}`,
    `  hex:    ${hexadecimal(input)}`,
    `  ours:   ${ours}`,
    ...(theirs === '' ? [] : [`  theirs: ${theirs}`]),
    '',
  ].join('\n');

/** Most findings that are written: a fault that every input shows says no more the thousandth time. */
const mostShown = 20;

/** Keeps what was found: on stderr and in a file. */
export class FindingLog {
  readonly #file: string;
  readonly #counts = new Map<string, number>();

  constructor(file: string) {
    this.#file = file;
  }

  get count(): number {
    let sum = 0;
    for (const count of this.#counts.values()) sum += count;
    return sum;
  }

  add(found: FoundCase, finding: Finding): void {
    const kind = `${found.part}: ${finding.what}`;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count > 3 || this.#counts.size > mostShown) return;
    const text = render(found, finding);
    console.error(text);
    appendFileSync(this.#file, `${text}\n`);
  }

  summary(): string {
    return [...this.#counts].map(([kind, count]) => `${String(count).padStart(8)}  ${kind}`).join('\n');
  }
}

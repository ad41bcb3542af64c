import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

export const partNames = [
  'codec',
  'node',
  'node-responses',
  'nginx',
  'gateway',
  'responses',
  'http2',
  'http2-responses',
] as const;
export type PartName = (typeof partNames)[number];

export interface Settings {
  /** Of the whole run; the parts share them. */
  readonly seconds: number;
  readonly seed: number;
  readonly only: readonly PartName[];
  /** The one case to try; null: as many as there is time for. */
  readonly index: number | null;
  /** Where findings go. */
  readonly file: string;
}

export const usage = `npm run fuzz -- [options]
  --seconds N    length of the run, shared by its parts (default 240: more than a million cases)
  --seed N       what inputs are made from (default: another one each time)
  --only NAME    ${partNames.join(', ')}; may be repeated (default: all that can run here)
  --case N       tries this one case of the seed alone
  --findings F   the file that findings go to as well
  --help`;

const whole = (name: string, text: string, least: number): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least)
    throw new Error(`--${name} takes a whole number from ${least}, not "${text}"`);
  return value;
};

const isPartName = (name: string): name is PartName => (partNames as readonly string[]).includes(name);

/** Reads the command line; null where only help is wanted. Throws an Error that says what is wrong. */
export const readSettings = (args: readonly string[], someSeed: number): Settings | null => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seconds: { type: 'string', default: '240' },
      seed: { type: 'string', default: String(someSeed) },
      only: { type: 'string', multiple: true },
      case: { type: 'string' },
      findings: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const only = (values.only ?? partNames).map((name) => {
    if (!isPartName(name)) throw new Error(`there is no part "${name}"`);
    return name;
  });
  const seed = whole('seed', values.seed, 0);
  return {
    seconds: whole('seconds', values.seconds, 1),
    seed,
    only,
    index: values.case === undefined ? null : whole('case', values.case, 0),
    file: values.findings ?? join(tmpdir(), `portcullis-fuzz-${seed}.txt`),
  };
};

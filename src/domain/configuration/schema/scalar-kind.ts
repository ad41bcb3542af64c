import { err, ok, type Result } from '../../shared/result.js';
import { Secret } from '../../shared/secret.js';
import type { SettingScalar } from '../setting/setting.js';
import { didYouMean } from './did-you-mean.js';
import { foreignReference } from './foreign-reference.js';

/** Why a value is invalid. The text never contains a secret. */
export interface ScalarFault {
  readonly message: string;
  readonly suggestion?: string | null;
}

/** A type of value. */
export interface ScalarKind<Value> {
  /** The type on the reference page, as in `integer, 1 to 65535`. */
  readonly label: string;
  readonly read: (scalar: SettingScalar) => Result<Value, ScalarFault>;
  /** Replaces an invalid value while the rest is checked. */ readonly fallback: Value;
  /** Messages never show the value. */
  readonly secret: boolean;
}

const show = (scalar: SettingScalar): string => {
  if (scalar.hidden) return 'what was given';
  if (typeof scalar.value === 'string') {
    return scalar.value.length > 80 ? `"${scalar.value.slice(0, 80)}..."` : `"${scalar.value}"`;
  }
  return scalar.value === null ? 'null' : String(scalar.value);
};

/** The source of an empty value, as the rest of a sentence. Names of variables and files are not secret. */
const emptyReason = ({ value, reference }: SettingScalar): string => {
  if (value !== '' || reference === undefined) return '';
  const what = reference.kind === 'env' ? 'environment variable' : 'file';
  return `: the ${what} ${reference.name} is ${reference.kind === 'env' ? 'set, but empty' : 'empty'}`;
};

const fault = (wanted: string, scalar: SettingScalar, suggestion: string | null = null): Result<never, ScalarFault> =>
  err({ message: `must be ${wanted}, not ${show(scalar)}${emptyReason(scalar)}`, suggestion });

const empty = (scalar: SettingScalar): Result<never, ScalarFault> =>
  err({ message: `must not be empty${emptyReason(scalar)}` });

/** Refuses a variable in another notation: as a literal secret, it would be easy to guess. */
const namedVariable = (scalar: SettingScalar, isSecret: boolean): Result<never, ScalarFault> | null => {
  if (scalar.hidden || typeof scalar.value !== 'string') return null;
  const found = foreignReference(scalar.value);
  if (found === null || !(found.isWhole || isSecret)) return null;
  const message = isSecret ? 'contains a variable' : `must not be ${show(scalar)}`;
  const instead = isSecret && found.isAmbiguous ? '(env)"NAME"' : found.instead;
  return err({
    message: `${message}: text is literal`,
    suggestion: `write ${instead}, without quotes around it${found.isWhole ? '' : ', and set the variable to the whole value'}`,
  });
};

/** Non-empty text. */
export const text: ScalarKind<string> = {
  label: 'string',
  fallback: '',
  secret: false,
  read: (scalar) => {
    if (typeof scalar.value !== 'string') {
      return fault(
        'a string',
        scalar,
        scalar.value === null || scalar.hidden ? null : `write it in quotes: "${scalar.value}"`,
      );
    }
    return scalar.value === '' ? empty(scalar) : (namedVariable(scalar, false) ?? ok(scalar.value));
  },
};

/** Text that passes a check, which returns a fault or null. */
export const checkedText = (label: string, check: (value: string) => ScalarFault | null): ScalarKind<string> => ({
  label,
  fallback: '',
  secret: false,
  read: (scalar) => {
    const read = text.read(scalar);
    if (!read.ok) return read;
    const found = check(read.value);
    if (found === null) return read;
    return err(scalar.hidden ? { message: `must be ${label}` } : found);
  },
});

/** A value that no message shows. */
export const secret: ScalarKind<Secret> = {
  label: 'secret',
  fallback: new Secret(''),
  secret: true,
  read: (scalar) => {
    if (typeof scalar.value !== 'string') return err({ message: 'must be a string', suggestion: 'write it in quotes' });
    return scalar.value === '' ? empty(scalar) : (namedVariable(scalar, true) ?? ok(new Secret(scalar.value)));
  },
};

export const boolean: ScalarKind<boolean> = {
  label: 'boolean',
  fallback: false,
  secret: false,
  read: (scalar) => {
    if (typeof scalar.value === 'boolean') return ok(scalar.value);
    if (scalar.value === 'true' || scalar.value === 'false') {
      // Variables, files and flags can only provide text.
      if (scalar.hidden) return ok(scalar.value === 'true');
      return fault('#true or #false', scalar, `write #${scalar.value}`);
    }
    if (scalar.hidden && (scalar.value === '1' || scalar.value === '0')) return ok(scalar.value === '1');
    if (scalar.hidden) return fault('true or false', scalar);
    return fault('#true or #false', scalar);
  },
};

/** The number in a scalar; variables and files provide it as text. */
const numberOf = (scalar: SettingScalar): number | null => {
  if (typeof scalar.value === 'number') return scalar.value;
  if (scalar.hidden && typeof scalar.value === 'string' && /^\d{1,16}$/.test(scalar.value)) return Number(scalar.value);
  return null;
};

/** The remedy for `"30s"` or `"30"`; null: the value is no such text. */
const bareNumber = ({ value, hidden }: SettingScalar): string | null =>
  typeof value === 'string' && !hidden && /^\d{1,9}(?:\.\d{1,9})?\D{0,8}$/.test(value)
    ? 'write the number alone, without quotes and without a unit'
    : null;

const whole = (value: number | null, minimum: number, maximum: number): value is number =>
  value !== null && Number.isSafeInteger(value) && value >= minimum && value <= maximum;

export const integer = (minimum: number, maximum: number): ScalarKind<number> => ({
  label: `integer, ${minimum} to ${maximum}`,
  fallback: minimum,
  secret: false,
  read: (scalar) => {
    const value = numberOf(scalar);
    return whole(value, minimum, maximum)
      ? ok(value)
      : fault(`an integer from ${minimum} to ${maximum}`, scalar, bareNumber(scalar));
  },
});

/** A number that may have a fraction. */
export const decimal = (minimum: number, maximum: number): ScalarKind<number> => ({
  label: `number, ${minimum} to ${maximum}`,
  fallback: minimum,
  secret: false,
  read: (scalar) => {
    const isText = scalar.hidden && typeof scalar.value === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(scalar.value);
    const value = isText ? Number(scalar.value) : scalar.value;
    return typeof value === 'number' && value >= minimum && value <= maximum
      ? ok(value)
      : fault(`a number from ${minimum} to ${maximum}`, scalar, bareNumber(scalar));
  },
});

/** Whole seconds. The value is in milliseconds. */
export const seconds = (minimum: number, maximum: number): ScalarKind<number> => {
  const count = integer(minimum, maximum);
  return {
    label: `seconds, ${minimum} to ${maximum}`,
    fallback: count.fallback * 1000,
    secret: false,
    read: (scalar) => {
      const read = count.read(scalar);
      return read.ok ? ok(read.value * 1000) : read;
    },
  };
};

export const milliseconds = (minimum: number, maximum: number): ScalarKind<number> => ({
  ...integer(minimum, maximum),
  label: `milliseconds, ${minimum} to ${maximum}`,
});

const unitExponents: Readonly<Record<string, number>> = {
  '': 0,
  b: 0,
  k: 1,
  kb: 1,
  kib: 1,
  m: 2,
  mb: 2,
  mib: 2,
  g: 3,
  gb: 3,
  gib: 3,
};

/** Octets: a number, or text with a unit. Units are powers of 1024. */
export const size = (minimum: number, maximum: number): ScalarKind<number> => ({
  label: `size in bytes, ${minimum} to ${maximum}, or with a unit ("512KB", "10MB", "1GB")`,
  fallback: minimum,
  secret: false,
  read: (scalar) => {
    let value = typeof scalar.value === 'number' ? scalar.value : null;
    if (typeof scalar.value === 'string') {
      const parts = /^(\d{1,16}) ?([a-z]{0,3})$/i.exec(scalar.value);
      const exponent = parts === null ? undefined : unitExponents[(parts[2] ?? '').toLowerCase()];
      if (parts === null || exponent === undefined) {
        return fault('a size', scalar, 'write bytes, or a number with KB, MB or GB: "10MB"');
      }
      value = Number(parts[1]) * 1024 ** exponent;
    }
    return whole(value, minimum, maximum) ? ok(value) : fault(`a size from ${minimum} to ${maximum} bytes`, scalar);
  },
});

/**
 * One of several words. `later` lists words that are not supported yet. `meant` maps words of other programs to ours;
 * it takes precedence over the nearest spelling in a suggestion.
 */
export const oneOf = <const Word extends string>(
  words: readonly [Word, ...Word[]],
  later: readonly string[] = [],
  meant: (text: string) => NoInfer<Word> | null = () => null,
): ScalarKind<Word> => ({
  label: words.map((word) => `\`${word}\``).join(', '),
  fallback: words[0],
  secret: false,
  read: (scalar) => {
    const word = words.find((candidate) => candidate === scalar.value);
    if (word !== undefined) return ok(word);
    if (scalar.hidden) return fault(words.map((candidate) => `"${candidate}"`).join(' or '), scalar);
    if (typeof scalar.value === 'string' && later.includes(scalar.value)) {
      return err({ message: `"${scalar.value}" is not supported yet` });
    }
    const known = typeof scalar.value === 'string' ? meant(scalar.value) : null;
    const near = typeof scalar.value === 'string' ? didYouMean(scalar.value, words) : null;
    return fault(
      words.map((candidate) => `"${candidate}"`).join(' or '),
      scalar,
      known === null ? near : `did you mean "${known}"?`,
    );
  },
});

/** One of several numbers. The error shows the number unless it is hidden. */
export const oneOfNumbers = <const Choice extends number>(
  choices: readonly [Choice, ...Choice[]],
  refusal: (value: number) => string,
): ScalarKind<Choice> => ({
  label: choices.map((choice) => `\`${choice}\``).join(', '),
  fallback: choices[0],
  secret: false,
  read: (scalar) => {
    const value = numberOf(scalar);
    const chosen = choices.find((choice) => choice === value);
    if (chosen !== undefined) return ok(chosen);
    return value === null || scalar.hidden ? fault(choices.join(' or '), scalar) : err({ message: refusal(value) });
  },
});

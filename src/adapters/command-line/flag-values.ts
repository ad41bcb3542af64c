import { didYouMean } from '../../domain/configuration/schema/did-you-mean.js';
import { err, ok, type Result } from '../../domain/shared/result.js';

/** Flags by name, as in `store-path`. A flag has all its values, or true if it takes none. */
export type FlagValues = Readonly<Record<string, readonly string[] | true | undefined>>;

/** Commander names flags in camel case. */
export const byFlagName = (byAttribute: Readonly<Record<string, unknown>>): FlagValues =>
  Object.fromEntries(
    Object.entries(byAttribute).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      value as readonly string[] | true,
    ]),
  );

export const isSet = (values: FlagValues, flag: string): boolean => values[flag] !== undefined;

/** Every value of a flag. */
export const flagValues = (values: FlagValues, flag: string): readonly string[] => {
  const given = values[flag];
  return given === undefined || given === true ? [] : given;
};

/** The value of a flag; null: the flag is absent. */
export const flagValue = (values: FlagValues, flag: string): string | null => flagValues(values, flag)[0] ?? null;

/** The value of a flag with a fixed set of words; null: the flag is absent. */
export const flagChoice = <const Word extends string>(
  values: FlagValues,
  flag: string,
  words: readonly Word[],
): Result<Word | null, string> => {
  const value = flagValue(values, flag);
  if (value === null) return ok(null);
  const word = words.find((one) => one === value);
  if (word !== undefined) return ok(word);
  const near = didYouMean(value, words);
  return err(`--${flag} must be one of ${words.join(', ')}${near === null ? '' : `; ${near}`}`);
};

/** The first flag that occurs more than once and is not repeatable. */
export const repeatedFlag = (values: FlagValues, repeatable: readonly string[] = []): string | null => {
  for (const [flag, given] of Object.entries(values)) {
    if (Array.isArray(given) && given.length > 1 && !repeatable.includes(flag)) return flag;
  }
  return null;
};

/** The first flag whose value is empty. */
export const emptyFlag = (values: FlagValues): string | null => {
  for (const [flag, given] of Object.entries(values)) if (Array.isArray(given) && given[0] === '') return flag;
  return null;
};

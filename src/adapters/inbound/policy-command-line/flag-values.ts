import { didYouMean } from '../../../domain/configuration/schema/did-you-mean.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** Options as commander gives them, in camel case: one that takes a value holds every one that was given. */
export type FlagValues = Readonly<Record<string, readonly string[] | true | undefined>>;

export const isSet = (values: FlagValues, name: string): boolean => values[name] !== undefined;

/** Every value of an option. */
export const given = (values: FlagValues, name: string): readonly string[] => {
  const value = values[name];
  return value === undefined || value === true ? [] : value;
};

/** The value of an option that is given once at the most; null where it is not given. */
export const only = (values: FlagValues, name: string): string | null => given(values, name)[0] ?? null;

/** The value of an option that is one of a few words. */
export const onlyOf = <const Word extends string>(
  values: FlagValues,
  name: string,
  words: readonly Word[],
): Result<Word | null, string> => {
  const value = only(values, name);
  if (value === null) return ok(null);
  const word = words.find((one) => one === value);
  if (word !== undefined) return ok(word);
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const near = didYouMean(value, words);
  return err(`${flag} is one of ${words.join(', ')}${near === null ? '' : `; ${near}`}`);
};

import { err, ok, type Result } from '../../../domain/shared/result.js';

/** The agent's initial metadata that names the headers only it may set: names, separated by commas. */
export const ownedHeadersKey = 'portcullis-owned-headers';

/** Names and prefixes that an agent may own, at the most, and their length in characters. */
const maximumOwnedHeaders = 256;
const maximumOwnedHeaderLength = 256;

/** @param values of every field of that name */
export const readOwnedHeaders = (values: readonly string[]): Result<readonly string[], string> => {
  const names = values
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length > maximumOwnedHeaders || names.some((name) => name.length > maximumOwnedHeaderLength)) {
    return err(`"${ownedHeadersKey}" is too long`);
  }
  return ok(names);
};

import { isWellFormed } from '../../shared/utf8.js';

/** Characters of a key that is hashed, at least. */
export const leastKeyLength = 20;
const mostKeyLength = 1024;

/** What a header field carries as it is: printable ASCII, no space at either end. */
const sendable = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const control = /[\x00-\x1f\x7f]/;

/** Why a key should not be hashed; null where it can be. */
export const newApiKeyFault = (key: string): string | null => {
  if (key === '') return 'the key is empty';
  if (!sendable.test(key)) return 'the key has characters other than printable ASCII, or a space at either end';
  if (key.length < leastKeyLength) {
    return (
      `the key has fewer than ${leastKeyLength} characters: its digest has no salt and is fast, so whoever gets hold of ` +
      'it could try short keys until one fits; let --generate make one'
    );
  }
  return key.length > mostKeyLength ? `the key is longer than ${mostKeyLength} characters` : null;
};

/** Why no entry `sha256:<digest>:<name>` can have this name; null where one can. */
export const keyNameFault = (name: string): string | null => {
  if (name === '') return 'the name is empty';
  if (name.includes(':')) return 'a name has no colon: an entry splits at its last one';
  if (control.test(name) || !isWellFormed(name)) return 'the name has control characters or broken ones';
  return name.trim() === name ? null : 'the name begins or ends with white space, which a list would drop';
};

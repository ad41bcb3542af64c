import { isWellFormed } from '../../shared/utf8.js';

/** Minimum characters of a hashed key. */
export const leastKeyLength = 20;
const mostKeyLength = 1024;

/** What a header can carry unchanged: printable ASCII without surrounding spaces. */
const sendable = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const control = /[\x00-\x1f\x7f]/;

/** Why a key must not be hashed; null if it may. */
export const newApiKeyFault = (key: string): string | null => {
  if (key === '') return 'the key is empty';
  if (!sendable.test(key)) return 'the key has characters other than printable ASCII, or a space at either end';
  if (key.length < leastKeyLength) {
    return (
      `the key has fewer than ${leastKeyLength} characters: its digest has no salt and is fast, so an attacker who has it ` +
      'could guess short keys; use --generate'
    );
  }
  return key.length > mostKeyLength ? `the key is longer than ${mostKeyLength} characters` : null;
};

/** Why an entry `sha256:<digest>:<name>` cannot have this name; null if it can. */
export const keyNameFault = (name: string): string | null => {
  if (name === '') return 'the name is empty';
  if (name.includes(':')) return 'a name must not contain a colon: an entry splits at its last one';
  if (control.test(name) || !isWellFormed(name)) return 'the name has control characters or broken ones';
  return name.trim() === name ? null : 'the name begins or ends with white space, which a list would drop';
};

import { isUsableSubject } from '../../identity/identity.js';
import type { Assertion } from '../assertion.js';

/** Control characters of ASCII and Latin-1: no name has them, and logs and terminals would interpret them. */
const control = /[\0-\x1f\x7f-\x9f]/;

const attributeValue = ({ attributes }: Assertion, name: string): string | null => {
  const values = attributes.filter((attribute) => attribute.name === name).flatMap((attribute) => attribute.values);
  return values.length === 1 ? (values[0] as string) : null;
};

/**
 * The user id of an assertion: the only value of an attribute, or the NameID. Null if there is none, several, or an
 * unusable one.
 */
export const samlUserId = (assertion: Assertion, attribute: string | null): string | null => {
  const userId = attribute === null ? (assertion.nameId?.value ?? null) : attributeValue(assertion, attribute);
  return userId !== null && isUsableSubject(userId) && !control.test(userId) ? userId : null;
};

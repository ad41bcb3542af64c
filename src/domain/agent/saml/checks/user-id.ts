import { isUsableSubject } from '../../identity/identity.js';
import type { Assertion } from '../assertion.js';

/** What no name has, and what a log or a terminal would obey: the controls of ASCII and of Latin-1. */
const control = /[\0-\x1f\x7f-\x9f]/;

const attributeValue = ({ attributes }: Assertion, name: string): string | null => {
  const values = attributes.filter((attribute) => attribute.name === name).flatMap((attribute) => attribute.values);
  return values.length === 1 ? (values[0] as string) : null;
};

/**
 * The user id that an assertion gives: the only value of an attribute, or the NameID. Null where it gives none,
 * several, or one of no use.
 */
export const samlUserId = (assertion: Assertion, attribute: string | null): string | null => {
  const userId = attribute === null ? (assertion.nameId?.value ?? null) : attributeValue(assertion, attribute);
  return userId !== null && isUsableSubject(userId) && !control.test(userId) ? userId : null;
};

import { isWellFormed } from '../../shared/well-formed.js';

/** Characters of a user id that a credential names, at the most. */
export const maximumSubjectLength = 256;

/**
 * Whether the name that a credential gives its bearer can be a user id. White space around it would be lost in a header
 * field, and a lone surrogate too: two users would become one.
 */
export const isUsableSubject = (subject: string): boolean =>
  subject !== '' && subject.length <= maximumSubjectLength && subject.trim() === subject && isWellFormed(subject);

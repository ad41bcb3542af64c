import { isUsableSubject } from '../identity/usable-subject.js';
import { err, ok, type Result } from '../shared/result.js';
import { commonNameType } from './attribute-types.js';
import type { Certificate } from './certificate.js';
import { emailAddress } from './email-address.js';

/** What of a certificate is the user id. */
export interface UserSource {
  /** The common name of the subject. */
  readonly extractCn: boolean;
  /** The e-mail address among the alternative names; wins over `extractCn`, and does without it. */
  readonly extractEmail: boolean;
}

const control = /[\x00-\x1f\x7f-\x9f]/;

/** The one common name of a subject; null where it has none, or several, or one that is no text. */
export const commonName = ({ subject }: Certificate): string | null => {
  const [first, second] = subject.flat().filter(({ type }) => type === commonNameType);
  return first?.isText === true && second === undefined ? first.value : null;
};

const onlyEmail = ({ subjectAltNames }: Certificate): string | null => {
  const [first, second] = subjectAltNames.filter(({ kind }) => kind === 'email');
  if (first === undefined || second !== undefined) return null;
  return emailAddress(first.value) === null ? null : first.value;
};

/**
 * The user id that a certificate gives, as it is written there. Of several names none is chosen, nor another kind of
 * name where the configured one is missing: either could be somebody else's. A control character is refused, NUL above
 * all, after which some programs read no further.
 */
export const certificateUser = (
  certificate: Certificate,
  source: UserSource,
): Result<string, 'certificate_unusable_subject'> => {
  const name = source.extractEmail ? onlyEmail(certificate) : source.extractCn ? commonName(certificate) : null;
  const isUsable = name !== null && isUsableSubject(name) && !control.test(name);
  return isUsable ? ok(name) : err('certificate_unusable_subject');
};

import type { Certificate, SubjectAltName } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import { isUsableSubject } from '../identity/identity.js';
import { dnsLabels, emailAddress, uriName } from './alternative-names.js';
import { commonNameType } from './attribute-types.js';
import { formatDistinguishedName } from './distinguished-name.js';

/** Names of a certificate that can be the user id, as `user-id-from` calls them. */
export const userIdKinds = ['cn', 'san-email', 'san-uri', 'san-dns', 'dn'] as const;
export type UserIdKind = (typeof userIdKinds)[number];

/** What of a certificate is the user id. */
export interface UserSource {
  /** The kinds to try, in this order; empty: `extractCn` and `extractEmail` decide. */
  readonly userIdFrom: readonly UserIdKind[];
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

/** The last in certificate order, which is the most specific one. */
const lastCommonName = ({ subject }: Certificate): readonly (string | null)[] => {
  const last = subject
    .flat()
    .filter(({ type }) => type === commonNameType)
    .at(-1);
  if (last === undefined) return [];
  return [last.isText ? last.value : null];
};

const altNames = (
  { subjectAltNames }: Certificate,
  kind: SubjectAltName['kind'],
  isWellFormedName: (text: string) => boolean,
): readonly (string | null)[] =>
  subjectAltNames.filter((name) => name.kind === kind).map(({ value }) => (isWellFormedName(value) ? value : null));

/** The names of one kind; null stands for a name that cannot be a user id, such as a DNS name with a wildcard. */
const namesOfKind: Readonly<Record<UserIdKind, (certificate: Certificate) => readonly (string | null)[]>> = {
  cn: lastCommonName,
  'san-email': (certificate) => altNames(certificate, 'email', (text) => emailAddress(text) !== null),
  'san-uri': (certificate) => altNames(certificate, 'uri', (text) => uriName(text) !== null),
  'san-dns': (certificate) => altNames(certificate, 'dns', (text) => dnsLabels(text) !== null),
  dn: ({ subject }) => (subject.length === 0 ? [] : [formatDistinguishedName(subject)]),
};

/** The name of the first kind that the certificate has exactly once. */
const firstOfKinds = (certificate: Certificate, kinds: readonly UserIdKind[]): string | null => {
  for (const kind of kinds) {
    const [first, second] = namesOfKind[kind](certificate);
    if (first !== undefined && second === undefined) return first;
  }
  return null;
};

const extractedName = (certificate: Certificate, { extractCn, extractEmail }: UserSource): string | null => {
  if (extractEmail) return onlyEmail(certificate);
  return extractCn ? commonName(certificate) : null;
};

/**
 * The user id that a certificate gives, as it is written there. With `extractCn` and `extractEmail` no other kind takes
 * the place of the configured one. A name that is there but malformed is refused; no further kind is tried. A control
 * character is refused, NUL above all, after which some programs read no further.
 */
export const certificateUser = (
  certificate: Certificate,
  source: UserSource,
): Result<string, 'certificate_unusable_subject'> => {
  const { userIdFrom } = source;
  const name = userIdFrom.length > 0 ? firstOfKinds(certificate, userIdFrom) : extractedName(certificate, source);
  const isUsable = name !== null && isUsableSubject(name) && !control.test(name);
  return isUsable ? ok(name) : err('certificate_unusable_subject');
};

import type { Certificate, SubjectAltName } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import { isUsableSubject } from '../identity/identity.js';
import { dnsLabels, emailAddress, uriName } from './alternative-names.js';
import { commonNameType } from './attribute-types.js';
import { formatDistinguishedName } from './distinguished-name.js';

/** The names that can be the user id, as in `user-id-from`. */
export const userIdKinds = ['cn', 'san-email', 'san-uri', 'san-dns', 'dn'] as const;
export type UserIdKind = (typeof userIdKinds)[number];

/** The source of the user id. */
export interface UserSource {
  /** The kinds to try, in this order; empty: `extractCn` and `extractEmail` decide. */
  readonly userIdFrom: readonly UserIdKind[];
  /** The common name of the subject. */
  readonly extractCn: boolean;
  /** The e-mail address of the alternative names. Takes precedence over `extractCn`, and works without it. */
  readonly extractEmail: boolean;
}

const control = /[\x00-\x1f\x7f-\x9f]/;

/** The only common name of a subject; null if there is none, several, or one that is not text. */
export const commonName = ({ subject }: Certificate): string | null => {
  const [first, second] = subject.flat().filter(({ type }) => type === commonNameType);
  return first?.isText === true && second === undefined ? first.value : null;
};

const onlyEmail = ({ subjectAltNames }: Certificate): string | null => {
  const [first, second] = subjectAltNames.filter(({ kind }) => kind === 'email');
  if (first === undefined || second !== undefined) return null;
  return emailAddress(first.value) === null ? null : first.value;
};

/** The last one in certificate order, which is the most specific. */
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

/** The names of each kind; null for a name that cannot be a user id, such as a wildcard DNS name. */
const namesOfKind: Readonly<Record<UserIdKind, (certificate: Certificate) => readonly (string | null)[]>> = {
  cn: lastCommonName,
  'san-email': (certificate) => altNames(certificate, 'email', (text) => emailAddress(text) !== null),
  'san-uri': (certificate) => altNames(certificate, 'uri', (text) => uriName(text) !== null),
  'san-dns': (certificate) => altNames(certificate, 'dns', (text) => dnsLabels(text) !== null),
  dn: ({ subject }) => (subject.length === 0 ? [] : [formatDistinguishedName(subject)]),
};

/** The name of the first kind that occurs exactly once. */
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
 * The user id of a certificate, unchanged. With `extractCn` or `extractEmail`, only the configured kind is read. A
 * malformed name is refused without trying another kind. Control characters are refused, especially NUL, at which some
 * programs stop reading.
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

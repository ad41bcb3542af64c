import { type CidrSet, compileCidrs } from '../../http/cidr-set.js';
import type { SubjectAltName } from '../../shared/certificate.js';
import { parseDecimal } from '../../shared/decimal.js';
import { err, ok, type Result } from '../../shared/result.js';
import { dnsLabels } from './dns-name.js';
import { emailAddress } from './email-address.js';
import { schemeLength, uriName } from './uri-name.js';

/** An alternative name that is allowed; names in the one spelling in which they are compared. */
export type AllowedSan =
  | { readonly kind: 'dns' | 'uri' | 'email'; readonly name: string }
  /** Any one label before `parent`, or the pattern itself. */
  | { readonly kind: 'dns-wildcard'; readonly parent: string }
  | { readonly kind: 'ip'; readonly block: CidrSet };

type Kind = SubjectAltName['kind'];
type Parsed = Result<AllowedSan, string>;

const prefixes: readonly (readonly [prefix: string, kind: Kind])[] = [
  ['dns:', 'dns'],
  ['uri:', 'uri'],
  ['email:', 'email'],
  ['ip:', 'ip'],
];

/** What a name of one wildcard and a parent begins with. */
export const wildcardLabel = '*.';

const parseDns = (text: string): Parsed => {
  const isWildcard = text.startsWith(wildcardLabel);
  const labels = dnsLabels(isWildcard ? text.slice(wildcardLabel.length) : text);
  if (labels === null) {
    if (text.includes('*')) return err('has a wildcard elsewhere than as the whole first label, as in "*.example.com"');
    return err('is no DNS name; what is not ASCII has to be written with "xn--"');
  }
  const last = labels.at(-1) as string;
  if ('0123456789'.includes(last[0] as string) && Number.isInteger(Number(last))) return err('is no IP address');
  const name = labels.join('.');
  return ok(isWildcard ? { kind: 'dns-wildcard', parent: name } : { kind: 'dns', name });
};

const parseUri = (text: string): Parsed => {
  // A star means itself in a URI, but whoever writes one here means more, and would wait for it in vain.
  if (text.includes('*')) return err('has a wildcard, which only a DNS name may have');
  const name = uriName(text);
  return name === null ? err('is no URI') : ok({ kind: 'uri', name });
};

const parseEmail = (text: string): Parsed => {
  const name = emailAddress(text);
  return name === null ? err('is no e-mail address of the form "user@example.com"') : ok({ kind: 'email', name });
};

const parseIp = (text: string): Parsed => {
  const block = compileCidrs([text]);
  return block.ok ? ok({ kind: 'ip', block: block.value }) : err('is no IP address and no CIDR block');
};

const parsers: Readonly<Record<Kind, (text: string) => Parsed>> = {
  dns: parseDns,
  uri: parseUri,
  email: parseEmail,
  ip: parseIp,
};

/**
 * Reads one entry of a list of allowed alternative names. `DNS:`, `URI:`, `email:` or `IP:` before it, in any case,
 * says what it is; without one, an IP address or CIDR block is that, what begins with a scheme and a colon a URI, what
 * has an `@` an e-mail address, and the rest a DNS name. The error is one clause, as in `is no DNS name`.
 */
export const parseAllowedSan = (text: string): Parsed => {
  const entry = text.trim();
  if (entry === '') return err('is empty');
  const lower = entry.toLowerCase();
  const prefixed = prefixes.find(([prefix]) => lower.startsWith(prefix));
  if (prefixed !== undefined) return parsers[prefixed[1]](entry.slice(prefixed[0].length).trim());
  // Before URIs: an IPv6 address may begin like a scheme.
  const address = parseIp(entry);
  if (address.ok) return address;
  const scheme = schemeLength(entry);
  if (scheme > 0) {
    return parseDecimal(entry.slice(scheme + 1), 5) !== null
      ? err('has a port, which no name in a certificate has')
      : parseUri(entry);
  }
  return entry.includes('@') ? parseEmail(entry) : parseDns(entry);
};

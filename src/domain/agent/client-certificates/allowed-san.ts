import { type CidrSet, compileCidrs, includesAddress, joinCidrs } from '../../http/cidr-set.js';
import { parseIpAddress } from '../../http/ip-address.js';
import type { SubjectAltName } from '../../shared/certificate.js';
import { parseDecimal } from '../../shared/decimal.js';
import { err, ok, type Result } from '../../shared/result.js';
import { dnsLabels, emailAddress, schemeLength, uriName } from './alternative-names.js';

/** Alternative names that are allowed, made ready once: a name is looked up, however many there are. */
export interface AllowedSans {
  /** Each in the one spelling in which names of its kind are compared; of wildcards the parent. */
  readonly names: Readonly<Record<Exclude<AllowedSan['kind'], 'ip'>, ReadonlySet<string>>>;
  readonly addresses: CidrSet;
}

export const prepareAllowedSans = (entries: readonly AllowedSan[]): AllowedSans => {
  const names = {
    dns: new Set<string>(),
    'dns-wildcard': new Set<string>(),
    uri: new Set<string>(),
    email: new Set<string>(),
  };
  const blocks: CidrSet[] = [];
  for (const entry of entries) {
    if (entry.kind === 'ip') blocks.push(entry.block);
    else names[entry.kind].add(entry.kind === 'dns-wildcard' ? entry.parent : entry.name);
  }
  return { names, addresses: joinCidrs(blocks) };
};

const isAllowedDns = ({ names }: AllowedSans, value: string): boolean => {
  const isWildcard = value.startsWith(wildcardLabel);
  const labels = dnsLabels(isWildcard ? value.slice(wildcardLabel.length) : value);
  if (labels === null) return false;
  const name = labels.join('.');
  if (isWildcard) return names['dns-wildcard'].has(name);
  return names.dns.has(name) || names['dns-wildcard'].has(labels.slice(1).join('.'));
};

const isAllowed = (allowed: AllowedSans, { kind, value }: SubjectAltName): boolean => {
  if (kind === 'dns') return isAllowedDns(allowed, value);
  if (kind === 'ip') {
    const address = parseIpAddress(value);
    return address !== null && includesAddress(allowed.addresses, address);
  }
  const name = kind === 'uri' ? uriName(value) : emailAddress(value);
  return name !== null && allowed.names[kind].has(name);
};

/**
 * Whether one of the names of a certificate is allowed (RFC 9525, section 6.3, for wildcards). Never by a wildcard of
 * the certificate, which stands for the same text in the list alone, and never by what holds characters that its kind
 * of name has not: control characters, NUL, anything but ASCII.
 */
export const sanAllowed = (allowed: AllowedSans, names: readonly SubjectAltName[]): boolean =>
  names.some((name) => isAllowed(allowed, name));

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

import { type CidrSet, compileCidrs, includesAddress, joinCidrs } from '../../http/cidr-set.js';
import { parseIpAddress } from '../../http/ip-address.js';
import type { SubjectAltName } from '../../shared/certificate.js';
import { parseDecimal } from '../../shared/decimal.js';
import { err, ok, type Result } from '../../shared/result.js';
import { dnsLabels, emailAddress, schemeLength, uriName } from './alternative-names.js';

/** Allowed alternative names, prepared for look-ups in constant time. */
export interface AllowedSans {
  /** In the normal form in which names of the kind are compared; for wildcards the parent. */
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
 * Whether one of a certificate's names is allowed (RFC 9525, section 6.3, for wildcards). A wildcard of the certificate
 * matches only the same text in the list. Names with characters that their kind does not allow never match: control
 * characters, NUL, non-ASCII.
 */
export const sanAllowed = (allowed: AllowedSans, names: readonly SubjectAltName[]): boolean =>
  names.some((name) => isAllowed(allowed, name));

/** An allowed alternative name in normal form. */
export type AllowedSan =
  | { readonly kind: 'dns' | 'uri' | 'email'; readonly name: string }
  /** Any single label before `parent`, or the pattern itself. */
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

/** The prefix of a wildcard name. */
export const wildcardLabel = '*.';

const parseDns = (text: string): Parsed => {
  const isWildcard = text.startsWith(wildcardLabel);
  const labels = dnsLabels(isWildcard ? text.slice(wildcardLabel.length) : text);
  if (labels === null) {
    if (text.includes('*'))
      return err('has a misplaced wildcard; it must be the whole first label, as in "*.example.com"');
    return err('is not a DNS name; write non-ASCII names with "xn--"');
  }
  const last = labels.at(-1) as string;
  if ('0123456789'.includes(last[0] as string) && Number.isInteger(Number(last))) return err('is not an IP address');
  const name = labels.join('.');
  return ok(isWildcard ? { kind: 'dns-wildcard', parent: name } : { kind: 'dns', name });
};

const parseUri = (text: string): Parsed => {
  // A star is literal in a URI, but users who write one expect a wildcard.
  if (text.includes('*')) return err('has a wildcard, which only DNS names support');
  const name = uriName(text);
  return name === null ? err('is not a URI') : ok({ kind: 'uri', name });
};

const parseEmail = (text: string): Parsed => {
  const name = emailAddress(text);
  return name === null ? err('is not an e-mail address of the form "user@example.com"') : ok({ kind: 'email', name });
};

const parseIp = (text: string): Parsed => {
  const block = compileCidrs([text]);
  return block.ok ? ok({ kind: 'ip', block: block.value }) : err('is neither an IP address nor a CIDR block');
};

const parsers: Readonly<Record<Kind, (text: string) => Parsed>> = {
  dns: parseDns,
  uri: parseUri,
  email: parseEmail,
  ip: parseIp,
};

/**
 * Parses an entry of a list of allowed alternative names. A case-insensitive prefix `DNS:`, `URI:`, `email:` or `IP:`
 * states its kind. Without one, an IP address or CIDR block is recognised first, then a URI by its scheme, an e-mail
 * address by `@`; the rest are DNS names. The error is one clause, as in `is not a DNS name`.
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
      ? err('has a port, which names in certificates never have')
      : parseUri(entry);
  }
  return entry.includes('@') ? parseEmail(entry) : parseDns(entry);
};

import { type CidrSet, includesAddress, joinCidrs } from '../../http/cidr-set.js';
import { parseIpAddress } from '../../http/ip-address.js';
import type { SubjectAltName } from '../../shared/certificate.js';
import { type AllowedSan, wildcardLabel } from './allowed-san.js';
import { dnsLabels } from './dns-name.js';
import { emailAddress } from './email-address.js';
import { uriName } from './uri-name.js';

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

import { readDerValue } from '../../../domain/agent/client-certificates/der-text.js';
import { formatIpAddress, parseIpAddress } from '../../../domain/http/ip-address.js';
import type { SubjectAltName } from '../../../domain/shared/certificate.js';
import { parseSequence } from './certificate-schema.js';

/** Tags of the names that are read (RFC 5280, section 4.2.1.6). */
const textKinds: ReadonlyMap<number, 'email' | 'dns' | 'uri'> = new Map([
  [0x81, 'email'],
  [0x82, 'dns'],
  [0x86, 'uri'],
]);
const ipTag = 0x87;

const ipText = (octets: Uint8Array): string => {
  if (octets.length === 4) return octets.join('.');
  if (octets.length !== 16) throw new Error('an IP address has neither 4 nor 16 octets');
  return Buffer.from(octets).toString('hex').match(/.{4}/g)?.join(':') ?? '';
};

const readIp = (octets: Uint8Array): string => {
  const address = parseIpAddress(ipText(octets));
  if (address === null) throw new Error('an IP address cannot be read');
  return formatIpAddress(address);
};

/**
 * The names of the four kinds; others are left out. Each octet of a text is one character: what is not ASCII stays
 * visible as something that no name of its kind has. Throws where they cannot be read.
 */
export const readSubjectAltNames = (der: Uint8Array): readonly SubjectAltName[] => {
  const names: SubjectAltName[] = [];
  for (const item of parseSequence(der)) {
    const value = readDerValue(item);
    if (value === null) throw new Error('an alternative name is no DER');
    const kind = textKinds.get(value.tag);
    if (kind !== undefined) names.push({ kind, value: Buffer.from(value.contents).toString('latin1') });
    else if (value.tag === ipTag) names.push({ kind: 'ip', value: readIp(value.contents) });
  }
  return names;
};

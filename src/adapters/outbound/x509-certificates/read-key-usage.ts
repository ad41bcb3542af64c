import { readDerValue } from '../../../domain/agent/client-certificates/der-text.js';
import type { KeyUsage } from '../../../domain/shared/certificate.js';

const bitStringTag = 0x03;

/** Of the first octet of bits (RFC 5280, section 4.2.1.3). */
const flags: readonly (readonly [bit: number, usage: KeyUsage])[] = [
  [0x80, 'digital_signature'],
  [0x08, 'key_agreement'],
  [0x04, 'certificate_signing'],
];
const otherBits = 0x73;

/** Throws where it is no bit string. */
export const readKeyUsage = (der: Uint8Array): readonly KeyUsage[] => {
  const value = readDerValue(der);
  const [unused, bits = 0, more = 0] = value?.contents ?? [];
  if (value?.tag !== bitStringTag || unused === undefined || unused > 7)
    throw new Error('a key usage is no bit string');
  const usages = flags.filter(([bit]) => (bits & bit) !== 0).map(([, usage]) => usage);
  return (bits & otherBits) === 0 && more === 0 ? usages : [...usages, 'other'];
};

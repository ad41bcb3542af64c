import { pemFilePath } from '../../configuration/schema/grpc-address.js';
import { type ScalarKind, text } from '../../configuration/schema/scalar-kind.js';
import { decodeBase64 } from '../../shared/base64.js';
import { err } from '../../shared/result.js';

/** PEM, or base64 of PEM as in some secret stores. */
const pem = /-----BEGIN |^\s*LS0tLS1CRUdJTi/;
/** A JWK, a key set, or an array; quotes may be escaped. */
const json = /^\s*(?:\{\s*\\?"|\[\s*\{)/;

/** DER tags: a key or certificate is a sequence that begins with one of these. */
const sequence = 0x30;
const integer = 0x02;

/** Whether the octets are exactly one DER sequence that begins like a key or certificate. */
const isDer = (octets: Uint8Array): boolean => {
  const first = octets[1] ?? 0x80;
  const lengthOctets = first < 0x80 ? 0 : first - 0x80;
  if (octets[0] !== sequence || first === 0x80 || lengthOctets > 3) return false;
  let length = lengthOctets === 0 ? first : 0;
  for (const octet of octets.subarray(2, 2 + lengthOctets)) length = length * 256 + octet;
  const start = 2 + lengthOctets;
  const tag = octets[start];
  return start + length === octets.length && (tag === sequence || tag === integer);
};

/**
 * Whether a text is a public key or certificate instead of a secret: PEM, JSON, or DER in base64. A random text matches
 * only with a chance of one in millions.
 */
export const looksLikePublicKey = (text: string): boolean => {
  if (pem.test(text) || json.test(text)) return true;
  const octets = decodeBase64(text.replace(/\s/g, ''), 'standard');
  return octets !== null && isDer(octets);
};

/** The advice for a key set, or its URL, in place of a public key. */
export const aboutOidc =
  'write oidc { enabled #true; issuer "https://..."; jwks-url "https://..." }: it reads key sets';

/** Whether the text of a file is JSON, like a key set. */
export const looksLikeJson = (text: string): boolean => json.test(text);

/** Path of a public key in PEM. Messages do not show other values. */
export const publicKeyPath: ScalarKind<string> = {
  ...pemFilePath,
  read: (scalar) => {
    const read = text.read(scalar);
    if (!read.ok) return read;
    if (/^https?:\/\//i.test(read.value)) {
      return err({ message: 'must be the path of a PEM file, not a URL', suggestion: aboutOidc });
    }
    if (json.test(read.value)) {
      return err({ message: 'must be the path of a PEM file, not a key set or a key in JSON', suggestion: aboutOidc });
    }
    return pemFilePath.read(scalar);
  },
};

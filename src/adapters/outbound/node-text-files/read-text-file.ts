import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** The tags of DER (X.690, section 8.1.2) that tell the files of certificates and keys apart. */
const sequence = 0x30;
const integer = 0x02;
const objectIdentifier = 0x06;
const explicitVersion = 0xa0;

/** Where the content of the value begins that stands at an offset; null where no length does (X.690, section 8.1.3). */
const contentStart = (octets: Uint8Array, offset: number): number | null => {
  const length = octets[offset + 1];
  if (length === undefined || length === 0x80 || length > 0x84) return null;
  return offset + 2 + (length < 0x80 ? 0 : length - 0x80);
};

/**
 * What to do with a file that is DER where text is expected, as far as its first octets tell what it is; null where it
 * does not look like a certificate or a key. Nothing of the file goes into it.
 */
const derHint = (octets: Uint8Array): string | null => {
  const outer = octets[0] === sequence ? contentStart(octets, 0) : null;
  if (outer === null) return null;
  if (octets[outer] === integer) {
    // RFC 7292, section 4: version 3 of PFX; the versions of keys are 0 and 1 (RFC 5958, 5915 and 8017).
    const isPkcs12 = octets[outer + 2] === 3;
    return isPkcs12
      ? 'is PKCS #12; take it apart with openssl pkcs12'
      : 'is DER; convert it with openssl pkey -inform der';
  }
  // RFC 5652, section 3: certificates in a bag begin with what the bag holds.
  if (octets[outer] === objectIdentifier) return 'is PKCS #7; convert it with openssl pkcs7 -inform der -print_certs';
  const inner = octets[outer] === sequence ? contentStart(octets, outer) : null;
  if (inner === null) return null;
  const first = octets[inner];
  if (first === objectIdentifier) return 'is DER; convert it with openssl pkey -pubin -inform der';
  // RFC 5280, section 4.1: the version, which version 1 leaves out before its serial number.
  if (first === explicitVersion || first === integer) return 'is DER; convert it with openssl x509 -inform der';
  return null;
};

/** Why the file system refuses, in one clause. */
export const explainFileError = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'cannot be read: it does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission denied';
  if (code === 'EISDIR') return 'cannot be read: it is a directory';
  return `cannot be read${typeof code === 'string' ? `: ${code}` : ''}`;
};

const textOf = (octets: Uint8Array): Result<string, string> => {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(octets));
  } catch {
    return err(derHint(octets) ?? 'is not UTF-8 text');
  }
};

/** The text of a regular file that has no more octets than the maximum; the error is one clause. */
export const readTextFile = async (path: string, maximumOctets: number): Promise<Result<string, string>> => {
  try {
    // Non-blocking, so that a FIFO without a writer cannot hold the start for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const facts = await file.stat();
      if (facts.isDirectory()) return err('cannot be read: it is a directory');
      if (!facts.isFile()) return err('cannot be read: it is no regular file');
      if (facts.size > maximumOctets) return err(`is larger than ${maximumOctets} bytes`);
      return textOf(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    return err(explainFileError(error));
  }
};

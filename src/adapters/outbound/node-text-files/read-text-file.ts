import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** Octets of one read. */
const pieceOctets = 65_536;

/** DER tags (X.690, section 8.1.2) that distinguish certificates and keys. */
const sequence = 0x30;
const integer = 0x02;
const objectIdentifier = 0x06;
const explicitVersion = 0xa0;

/**
 * Offset of the content of the value at an offset; null without a valid length (X.690, section
 * 8.1.3).
 */
const contentStart = (octets: Uint8Array, offset: number): number | null => {
  const length = octets[offset + 1];
  if (length === undefined || length === 0x80 || length > 0x84) return null;
  return offset + 2 + (length < 0x80 ? 0 : length - 0x80);
};

/**
 * How to convert a DER file, from its first octets; null if it is not a certificate or key. Quotes
 * nothing from the file.
 */
const derHint = (octets: Uint8Array): string | null => {
  const outer = octets[0] === sequence ? contentStart(octets, 0) : null;
  if (outer === null) return null;
  if (octets[outer] === integer) {
    // RFC 7292, section 4: version 3 of PFX; the versions of keys are 0 and 1 (RFC 5958, 5915 and 8017).
    const isPkcs12 = octets[outer + 2] === 3;
    return isPkcs12
      ? 'is PKCS #12; extract its contents with openssl pkcs12'
      : 'is DER; convert it with openssl pkey -inform der';
  }
  // RFC 5652, section 3: a certificate bag begins with its content type.
  if (octets[outer] === objectIdentifier) return 'is PKCS #7; convert it with openssl pkcs7 -inform der -print_certs';
  const inner = octets[outer] === sequence ? contentStart(octets, outer) : null;
  if (inner === null) return null;
  const first = octets[inner];
  if (first === objectIdentifier) return 'is DER; convert it with openssl pkey -pubin -inform der';
  // RFC 5280, section 4.1: the version; version 1 omits it and starts with the serial number.
  if (first === explicitVersion || first === integer) return 'is DER; convert it with openssl x509 -inform der';
  return null;
};

/** Why the file system refused, in one clause. */
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

/** The content of a file; null if it is larger. A file may grow, and those of /proc have the size 0. */
const readAtMost = async (file: FileHandle, maxOctets: number): Promise<Uint8Array | null> => {
  const pieces: Buffer[] = [];
  let total = 0;
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceOctets), 0, pieceOctets, null);
    total += bytesRead;
    if (total > maxOctets) return null;
    if (bytesRead === 0) return Buffer.concat(pieces);
    pieces.push(buffer.subarray(0, bytesRead));
  }
};

/**
 * Reads a regular file up to a maximum size, unless `accept` declines it by its status: then the result is null. The
 * error is one clause.
 */
export const readRegularFile = async <Accepted>(
  path: string,
  maxOctets: number,
  accept: (stats: BigIntStats) => Accepted | null,
): Promise<Result<{ readonly octets: Uint8Array; readonly accepted: Accepted } | null, string>> => {
  try {
    // Non-blocking: a FIFO without a writer must not hang the start.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat({ bigint: true });
      if (stats.isDirectory()) return err('cannot be read: it is a directory');
      if (!stats.isFile()) return err('cannot be read: it is not a regular file');
      const accepted = accept(stats);
      if (accepted === null) return ok(null);
      const octets = stats.size > maxOctets ? null : await readAtMost(file, maxOctets);
      return octets === null ? err(`is larger than ${maxOctets} bytes`) : ok({ octets, accepted });
    } finally {
      await file.close();
    }
  } catch (error) {
    return err(explainFileError(error));
  }
};

/** Reads the text of a regular file up to a maximum size. The error is one clause. */
export const readTextFile = async (path: string, maxOctets: number): Promise<Result<string, string>> => {
  const read = await readRegularFile(path, maxOctets, () => true);
  return read.ok ? textOf(read.value?.octets ?? new Uint8Array()) : read;
};

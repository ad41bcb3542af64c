import { err, ok, type Result } from '../../shared/result.js';
import { parsePhcString, phcOctetsFault, zeroOctets } from './phc-string.js';

export interface ScryptHash {
  readonly kind: 'scrypt';
  /** Base 2 logarithm of N (RFC 7914, section 2). */
  readonly logN: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Uint8Array;
  readonly digest: Uint8Array;
}

const mostMemory = 256 * 1024 * 1024;
const mostLogN = 24;
/** A check also takes 128 octets for each r and p. */
const mostR = 256;
const mostP = 16;

/** Pairs of memory in MiB and p that OWASP's password storage cheat sheet considers equally strong. */
const advised = [
  [128, 1],
  [64, 2],
  [32, 3],
  [16, 5],
  [8, 10],
] as const;

/** Octets of memory that a check takes. */
export const scryptMemory = ({ logN, r }: Pick<ScryptHash, 'logN' | 'r'>): number => 128 * 2 ** logN * r;

/** Parses `$scrypt$ln=...,r=...,p=...$salt$digest`. The error contains nothing of the hash. */
export const readScryptHash = (text: string): Result<ScryptHash, string> => {
  const phc = parsePhcString(text, ['ln', 'r', 'p']);
  if (phc === null || phc.version !== null) return err('is not a scrypt hash: $scrypt$ln=...,r=...,p=...$salt$digest');
  const [logN = 0, r = 0, p = 0] = phc.parameters;
  if (logN < 1 || logN > mostLogN) return err(`is a scrypt hash whose ln is not from 1 to ${mostLogN}`);
  if (r < 1 || r > mostR) return err(`is a scrypt hash whose r is not from 1 to ${mostR}`);
  // RFC 7914, section 2: N is less than 2^(128 * r / 8).
  if (logN >= 16 * r) return err('is a scrypt hash whose ln is not below 16 times r');
  if (p < 1 || p > mostP) return err(`is a scrypt hash whose p is not from 1 to ${mostP}`);
  if (scryptMemory({ logN, r }) > mostMemory) return err('is a scrypt hash that takes more than 256 MiB of memory');
  const fault = phcOctetsFault(phc);
  if (fault !== null) return err(`is a scrypt hash ${fault}`);
  return ok({ kind: 'scrypt', logN, r, p, salt: phc.salt, digest: phc.digest });
};

export const scryptWeakness = (hash: ScryptHash): string | null => {
  const mebibytes = scryptMemory(hash) / 2 ** 20;
  if (advised.some(([memory, times]) => mebibytes >= memory && hash.p >= times)) return null;
  return `scrypt with ln=${hash.logN},r=${hash.r},p=${hash.p}; use at least ln=17,r=8,p=1`;
};

/** A hash with the same cost whose password is unknown. */
export const scryptDecoy = ({ logN, r, p, salt, digest }: ScryptHash): string =>
  `$scrypt$ln=${logN},r=${r},p=${p}$${zeroOctets(salt.length)}$${zeroOctets(digest.length)}`;

import { err, ok, type Result } from '../../shared/result.js';
import { Secret } from '../../shared/secret.js';
import { type BcryptHash, bcryptDecoy, bcryptWeakness, readBcryptHash } from './bcrypt-hash.js';
import { parsePhcString, phcOctetsFault, zeroOctets } from './phc-string.js';
import { readScryptHash, type ScryptHash, scryptDecoy, scryptWeakness } from './scrypt-hash.js';

/**
 * The form in which user names and passwords are compared: Unicode normal form C (RFC 7617, section 2.1, via RFC 8265).
 * Keyboards may send `ö` as one code point or as two.
 */
export const normalForm = (text: string): string => text.normalize('NFC');

/** A stored password hash in its text form. */
export interface PasswordHash {
  readonly kind: 'bcrypt' | 'argon2id' | 'scrypt';
  /** `$2b$...` (bcrypt), `$argon2id$...` or `$scrypt$...` (PHC strings). */
  readonly text: Secret;
}

interface Argon2idHash {
  readonly kind: 'argon2id';
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
  readonly saltOctets: number;
  readonly digestOctets: number;
}

const mostMemoryKib = 256 * 1024;
const mostPasses = 20;
const mostLanes = 16;
/** Argon2 1.3 (RFC 9106), the only supported version. */
const version = 19;

/** Pairs of memory in KiB and passes that OWASP's password storage cheat sheet considers equally strong. */
const advised = [
  [47_104, 1],
  [19_456, 2],
  [12_288, 3],
  [9_216, 4],
  [7_168, 5],
] as const;

/** Parses `$argon2id$v=19$m=...,t=...,p=...$salt$digest`. The error contains nothing of the hash. */
const readArgon2idHash = (text: string): Result<Argon2idHash, string> => {
  const phc = parsePhcString(text, ['m', 't', 'p']);
  if (phc === null || phc.version !== version) {
    return err('is not an argon2id hash: $argon2id$v=19$m=...,t=...,p=...$salt$digest');
  }
  const [memoryKib = 0, passes = 0, lanes = 0] = phc.parameters;
  if (lanes < 1 || lanes > mostLanes) return err(`is an argon2id hash whose p is not from 1 to ${mostLanes}`);
  if (passes < 1 || passes > mostPasses) return err(`is an argon2id hash whose t is not from 1 to ${mostPasses}`);
  if (memoryKib < 8 * lanes) return err('is an argon2id hash whose m is below 8 times p');
  if (memoryKib > mostMemoryKib) return err(`is an argon2id hash whose m is above ${mostMemoryKib} (256 MiB)`);
  const fault = phcOctetsFault(phc);
  if (fault !== null) return err(`is an argon2id hash ${fault}`);
  const saltOctets = phc.salt.length;
  return ok({ kind: 'argon2id', memoryKib, passes, lanes, saltOctets, digestOctets: phc.digest.length });
};

const argon2idWeakness = ({ memoryKib, passes, lanes }: Argon2idHash): string | null => {
  if (advised.some(([memory, times]) => memoryKib >= memory && passes >= times)) return null;
  return `argon2id with m=${memoryKib},t=${passes},p=${lanes}; use at least m=19456,t=2,p=1`;
};

/** A hash with the same cost whose password is unknown. */
const argon2idDecoy = ({ memoryKib, passes, lanes, saltOctets, digestOctets }: Argon2idHash): string =>
  `$argon2id$v=${version}$m=${memoryKib},t=${passes},p=${lanes}$${zeroOctets(saltOctets)}$${zeroOctets(digestOctets)}`;

type ReadHash = BcryptHash | Argon2idHash | ScryptHash;

/** Texts that look like a password hash, of a supported or another kind. */
const hashed = /^(?:\$(?:2[abxy]?|argon2[a-z]*|scrypt|1|5|6|7|y|gy|apr1|pbkdf2[a-z0-9-]*)\$|\{[A-Z0-9-]+\}|sha256:)/i;

/** Whether a text looks like a password hash, supported or not. */
export const looksHashed = (text: string): boolean => hashed.test(text);

const read = (text: string): Result<ReadHash, string> => {
  if (/^\$2[aby]\$/.test(text)) return readBcryptHash(text);
  if (text.startsWith('$argon2id$')) return readArgon2idHash(text);
  if (text.startsWith('$scrypt$')) return readScryptHash(text);
  return err('uses an unsupported hash; supported are bcrypt ($2a$, $2b$, $2y$), $argon2id$ and $scrypt$');
};

/**
 * Parses a password hash. Refuses hashes that cost too much to check or match no password. The error continues a
 * sentence that begins with the hash, and names only the exceeded bound.
 */
export const readPasswordHash = (text: string): Result<PasswordHash, string> => {
  const hash = read(text);
  return hash.ok ? ok({ kind: hash.value.kind, text: new Secret(text) }) : hash;
};

const weaknessOf = (hash: ReadHash): string | null => {
  if (hash.kind === 'bcrypt') return bcryptWeakness(hash);
  return hash.kind === 'argon2id' ? argon2idWeakness(hash) : scryptWeakness(hash);
};

/**
 * Why a stolen hash could be cracked too fast, with the advised parameters, as in `bcrypt with cost 8; use at least
 * 10`. Null if strong enough. Contains nothing else of the hash.
 */
export const weakness = (hash: PasswordHash): string | null => {
  const known = read(hash.text.reveal());
  return known.ok ? weaknessOf(known.value) : null;
};

const decoyOf = (hash: ReadHash): string => {
  if (hash.kind === 'bcrypt') return bcryptDecoy(hash);
  return hash.kind === 'argon2id' ? argon2idDecoy(hash) : scryptDecoy(hash);
};

/** A hash for unknown users, with the cost of most of these hashes and an unknown password. Null without hashes. */
export const decoyHash = (hashes: readonly PasswordHash[]): PasswordHash | null => {
  const decoys = new Map<string, { readonly hash: PasswordHash; count: number }>();
  for (const { kind, text } of hashes) {
    const known = read(text.reveal());
    if (!known.ok) continue;
    const decoy = decoyOf(known.value);
    const counted = decoys.get(decoy);
    if (counted === undefined) decoys.set(decoy, { hash: { kind, text: new Secret(decoy) }, count: 1 });
    else counted.count += 1;
  }
  let most: { readonly hash: PasswordHash; readonly count: number } | null = null;
  for (const decoy of decoys.values()) if (most === null || decoy.count > most.count) most = decoy;
  return most?.hash ?? null;
};

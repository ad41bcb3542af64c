import { err, ok, type Result } from '../../shared/result.js';
import { phcOctetsFault, zeroOctets } from './phc-octets.js';
import { parsePhcString } from './phc-string.js';

export interface Argon2idHash {
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
/** Argon2 1.3 (RFC 9106): the only one that argon2id has. */
const version = 19;

/** Memory in KiB and passes that OWASP's password storage cheat sheet takes for equally strong. */
const advised = [
  [47_104, 1],
  [19_456, 2],
  [12_288, 3],
  [9_216, 4],
  [7_168, 5],
] as const;

/** Reads `$argon2id$v=19$m=...,t=...,p=...$salt$digest`. The error holds nothing of the hash. */
export const readArgon2idHash = (text: string): Result<Argon2idHash, string> => {
  const phc = parsePhcString(text, ['m', 't', 'p']);
  if (phc === null || phc.version !== version) {
    return err('is no argon2id hash: $argon2id$v=19$m=...,t=...,p=...$salt$digest');
  }
  const [memoryKib = 0, passes = 0, lanes = 0] = phc.parameters;
  if (lanes < 1 || lanes > mostLanes) return err(`is an argon2id hash whose p is not from 1 to ${mostLanes}`);
  if (passes < 1 || passes > mostPasses) return err(`is an argon2id hash whose t is not from 1 to ${mostPasses}`);
  if (memoryKib < 8 * lanes) return err('is an argon2id hash whose m is under 8 times p');
  if (memoryKib > mostMemoryKib) return err(`is an argon2id hash whose m is over ${mostMemoryKib} (256 MiB)`);
  const fault = phcOctetsFault(phc);
  if (fault !== null) return err(`is an argon2id hash ${fault}`);
  const saltOctets = phc.salt.length;
  return ok({ kind: 'argon2id', memoryKib, passes, lanes, saltOctets, digestOctets: phc.digest.length });
};

export const argon2idWeakness = ({ memoryKib, passes, lanes }: Argon2idHash): string | null => {
  if (advised.some(([memory, times]) => memoryKib >= memory && passes >= times)) return null;
  return `argon2id with m=${memoryKib},t=${passes},p=${lanes}; m=19456,t=2,p=1 is the least that is advised`;
};

/** A hash that costs as much to check, and that nobody knows a password of. */
export const argon2idDecoy = ({ memoryKib, passes, lanes, saltOctets, digestOctets }: Argon2idHash): string =>
  `$argon2id$v=${version}$m=${memoryKib},t=${passes},p=${lanes}$${zeroOctets(saltOctets)}$${zeroOctets(digestOctets)}`;

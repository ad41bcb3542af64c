import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { readScryptHash, type ScryptHash } from '../../../domain/agent/identity/scrypt-hash.js';

type Cost = Pick<ScryptHash, 'logN' | 'r' | 'p'>;

/**
 * Memory that OpenSSL counts against its limit: the table, one block per `p`, and two work blocks.
 */
const memory = ({ logN, r, p }: Cost): number => 128 * r * (2 ** logN + p + 2);

const derive = (password: string, salt: Uint8Array, octets: number, cost: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { N: 2 ** cost.logN, r: cost.r, p: cost.p, maxmem: memory(cost) };
    scrypt(password, salt, octets, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });

/** Verifies a password. Rejects if memory is unavailable. */
export const matchesScrypt = async (password: string, text: string): Promise<boolean> => {
  const hash = readScryptHash(text);
  if (!hash.ok) return false;
  const { salt, digest } = hash.value;
  return timingSafeEqual(await derive(password, salt, digest.length, hash.value), digest);
};

const unpadded = (octets: Uint8Array): string => Buffer.from(octets).toString('base64').replace(/=+$/, '');

/** A PHC string with a new salt. */
export const hashWithScrypt = async (password: string, cost: Cost): Promise<string> => {
  const salt = randomBytes(16);
  const digest = await derive(password, salt, 32, cost);
  return `$scrypt$ln=${cost.logN},r=${cost.r},p=${cost.p}$${unpadded(salt)}$${unpadded(digest)}`;
};

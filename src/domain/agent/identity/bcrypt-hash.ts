import { parseDecimal } from '../../shared/decimal.js';
import { err, ok, type Result } from '../../shared/result.js';

export interface BcryptHash {
  readonly kind: 'bcrypt';
  /** Base 2 logarithm of the rounds. */
  readonly cost: number;
}

/** Octets of a password that bcrypt takes; the rest would count for nothing. */
export const bcryptPasswordOctets = 72;
/** A check with the highest cost takes some seconds. */
const costs = { least: 4, most: 16 } as const;
/** The least cost that OWASP's password storage cheat sheet allows. */
const advisedCost = 10;

/** Cost, then a salt of 22 digits and a digest of 31, whose last digits have bits to spare: those are zero. */
const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}([./A-Za-z0-9])[./A-Za-z0-9]{30}([./A-Za-z0-9])$/;
const lastOfSalt = '.Oeu';
const lastOfDigest = '.CGKOSWaeimquy26';

/** Reads `$2a$`, `$2b$` and `$2y$`. The error holds nothing of the hash. */
export const readBcryptHash = (text: string): Result<BcryptHash, string> => {
  const parts = form.exec(text);
  if (parts === null) return err('is no bcrypt hash: $2b$, a cost of two digits, $, then 53 digits and letters');
  const [, digits = '', saltEnd = '', digestEnd = ''] = parts;
  if (!lastOfSalt.includes(saltEnd) || !lastOfDigest.includes(digestEnd)) {
    return err('is a bcrypt hash that no password matches: bits that have to be zero are not');
  }
  const cost = parseDecimal(digits, 2) as number;
  if (cost < costs.least) return err(`is a bcrypt hash with a cost under ${costs.least}`);
  if (cost > costs.most) return err(`is a bcrypt hash with a cost over ${costs.most}`);
  return ok({ kind: 'bcrypt', cost });
};

export const bcryptWeakness = ({ cost }: BcryptHash): string | null =>
  cost < advisedCost ? `bcrypt with cost ${cost}; ${advisedCost} is the least that is advised` : null;

const twoDigits = (cost: number): string => String(cost).padStart(2, '0');

/** A hash that costs as much to check, and that nobody knows a password of. */
export const bcryptDecoy = ({ cost }: BcryptHash): string => `$2b$${twoDigits(cost)}$${'.'.repeat(53)}`;

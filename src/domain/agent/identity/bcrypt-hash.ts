import { parseDecimal } from '../../shared/decimal.js';
import { err, ok, type Result } from '../../shared/result.js';

export interface BcryptHash {
  readonly kind: 'bcrypt';
  /** Base 2 logarithm of the rounds. */
  readonly cost: number;
}

/** Maximum octets of a password; bcrypt would ignore the rest. */
export const bcryptPasswordOctets = 72;
/** A check with the highest cost takes some seconds. */
const costs = { least: 4, most: 16 } as const;
/** The minimum cost of OWASP's password storage cheat sheet. */
const advisedCost = 10;

/** Cost, a salt of 22 digits and a digest of 31, whose last digits have unused bits that must be zero. */
const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}([./A-Za-z0-9])[./A-Za-z0-9]{30}([./A-Za-z0-9])$/;
const lastOfSalt = '.Oeu';
const lastOfDigest = '.CGKOSWaeimquy26';

/** Parses `$2a$`, `$2b$` and `$2y$`. The error contains nothing of the hash. */
export const readBcryptHash = (text: string): Result<BcryptHash, string> => {
  const parts = form.exec(text);
  if (parts === null) return err('is not a bcrypt hash: $2b$, a cost of two digits, $, then 53 digits and letters');
  const [, digits = '', saltEnd = '', digestEnd = ''] = parts;
  if (!lastOfSalt.includes(saltEnd) || !lastOfDigest.includes(digestEnd)) {
    return err('is a bcrypt hash that no password matches: unused bits are not zero');
  }
  const cost = parseDecimal(digits, 2) as number;
  if (cost < costs.least) return err(`is a bcrypt hash with a cost below ${costs.least}`);
  if (cost > costs.most) return err(`is a bcrypt hash with a cost above ${costs.most}`);
  return ok({ kind: 'bcrypt', cost });
};

export const bcryptWeakness = ({ cost }: BcryptHash): string | null =>
  cost < advisedCost ? `bcrypt with cost ${cost}; use at least ${advisedCost}` : null;

const twoDigits = (cost: number): string => String(cost).padStart(2, '0');

/** A hash with the same cost whose password is unknown. */
export const bcryptDecoy = ({ cost }: BcryptHash): string => `$2b$${twoDigits(cost)}$${'.'.repeat(53)}`;

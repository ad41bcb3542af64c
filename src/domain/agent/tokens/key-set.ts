import { isJsonObject, type JsonValue } from '../../shared/json.js';
import { err, ok, type Result } from '../../shared/result.js';
import { type PublicKey, readPublicKeys } from './public-key.js';
import type { AsymmetricAlgorithm } from './signature-algorithm.js';

/** How well the keys of a provider are known. */
export type KeySetState =
  /** The last attempt brought a set. */
  | 'fresh'
  /** The last attempt failed; the last good set serves. */
  | 'stale'
  /** There has never been a set. */
  | 'absent';

/** What the next attempt to get a key set depends on. */
export interface KeySetFreshness {
  readonly hasKeys: boolean;
  /** Attempts that failed since the last that did not. */
  readonly failures: number;
  /** When a set was last fetched for the sake of an unknown key, on the monotonic clock; null: never. */
  readonly refetchedAtMs: number | null;
}

/** Between two fetches for the sake of an unknown key, at least: anybody can make up a `kid`. */
export const refetchIntervalMs = 30_000;
/** Before the first retry of a fetch that failed; it doubles with each failure. */
export const firstRetryMs = 5_000;
/** Before any retry, at most. */
export const longestRetryMs = 300_000;
/** The part of a delay that is left to chance, so that many agents do not ask their provider at one moment. */
const spread = 0.1;

export const neverFetched: KeySetFreshness = { hasKeys: false, failures: 0, refetchedAtMs: null };

export const keySetState = ({ hasKeys, failures }: KeySetFreshness): KeySetState => {
  if (!hasKeys) return 'absent';
  return failures === 0 ? 'fresh' : 'stale';
};

/** Whether a set may be fetched now for the sake of a key that it does not have. Plain refreshes do not count. */
export const mayRefetch = ({ refetchedAtMs }: KeySetFreshness, nowMs: number): boolean =>
  refetchedAtMs === null || nowMs - refetchedAtMs >= refetchIntervalMs;

export const afterRefetch = (freshness: KeySetFreshness, nowMs: number): KeySetFreshness => ({
  ...freshness,
  refetchedAtMs: nowMs,
});

export const afterSuccess = (freshness: KeySetFreshness): KeySetFreshness => ({
  ...freshness,
  hasKeys: true,
  failures: 0,
});

export const afterFailure = (freshness: KeySetFreshness): KeySetFreshness => ({
  ...freshness,
  failures: freshness.failures + 1,
});

/**
 * The wait from the end of an attempt to the next, in milliseconds: the refresh interval, or, after failures, what
 * doubles from `firstRetryMs` to `longestRetryMs` but is never longer than the interval. Up to a tenth of it is left
 * out by chance.
 *
 * @param fraction a random number, at least 0 and below 1
 */
export const nextAttemptDelayMs = ({ failures }: KeySetFreshness, refreshMs: number, fraction: number): number => {
  const doubled = firstRetryMs * 2 ** Math.min(failures - 1, 30);
  const wholeMs = failures === 0 ? refreshMs : Math.min(doubled, longestRetryMs, refreshMs);
  return wholeMs * (1 - spread * fraction);
};

/** Keys of a set, at most; refused ones count. */
export const maximumKeys = 100;

/** A key of a set that is not used. */
export interface RefusedKey {
  /** Null where it has none that is text. */
  readonly kid: string | null;
  /** One clause, which holds nothing of the key. */
  readonly reason: string;
}

export interface ReadKeySet {
  readonly keys: readonly PublicKey[];
  readonly refused: readonly RefusedKey[];
}

/** What a token picks its key by. */
interface NamedKey {
  readonly kid: string | null;
  readonly algorithm: string;
}

const sharesName = (key: NamedKey, other: NamedKey): boolean =>
  key !== other && key.kid !== null && key.kid === other.kid && key.algorithm === other.algorithm;

/** Whether it has the form of a key at least (RFC 7517, section 4.1). */
const isKey = (member: JsonValue): boolean => isJsonObject(member) && typeof member['kty'] === 'string';

/**
 * Reads a JWK set (RFC 7517, section 5). A key that cannot be used is refused, not the set: providers publish keys
 * for other uses beside those that sign. Of two keys with one `kid` and one algorithm both are refused, because which
 * of them counts would be a guess; one key that stands there twice is one key. A set without any key is none: nobody
 * withdraws all keys and has none to sign with.
 *
 * @param accepted see `readPublicKeys`
 */
export const readKeySet = (
  json: JsonValue,
  accepted: readonly AsymmetricAlgorithm[] | null = null,
): Result<ReadKeySet, string> => {
  const members = isJsonObject(json) ? json['keys'] : undefined;
  if (!Array.isArray(members)) return err('is no JWK set');
  if (members.length > maximumKeys) return err(`has more than ${maximumKeys} keys`);
  if (!members.some(isKey)) return err('has no key');
  const found = new Map<string, PublicKey>();
  const refused: RefusedKey[] = [];
  for (const member of members as readonly JsonValue[]) {
    if (!isJsonObject(member)) {
      refused.push({ kid: null, reason: 'is no JSON object' });
      continue;
    }
    const read = readPublicKeys(member, accepted);
    const kid = member['kid'];
    if (read.ok) for (const key of read.value) found.set(key.identity, key);
    else refused.push({ kid: typeof kid === 'string' ? kid : null, reason: read.error });
  }
  const all = [...found.values()];
  const keys = all.filter((key) => !all.some((other) => sharesName(key, other)));
  for (const key of all) {
    if (!keys.includes(key)) refused.push({ kid: key.kid, reason: 'has the kid and the algorithm of another key' });
  }
  return ok({ keys, refused });
};

/**
 * The key that a token names. The algorithm has to be the key's (RFC 8725, section 3.1). A token without `kid` names
 * a key only where no other could be meant.
 */
export const chooseKey = <Key extends NamedKey>(
  keys: readonly Key[],
  kid: string | null,
  algorithm: string,
): Key | null => {
  const fitting = keys.filter((key) => key.algorithm === algorithm && (kid === null || key.kid === kid));
  return fitting.length === 1 ? (fitting[0] as Key) : null;
};

import { isJsonObject, type JsonValue } from '../../shared/json.js';
import { err, ok, type Result } from '../../shared/result.js';
import { type PublicKey, readPublicKeys } from './public-key.js';
import type { AsymmetricAlgorithm } from './signature-algorithm.js';

/** The state of a provider's key set. */
export type KeySetState =
  /** The last fetch succeeded. */
  | 'fresh'
  /** The last fetch failed; the last good set is used. */
  | 'stale'
  /** No fetch has succeeded yet. */
  | 'absent';

/** What determines the next fetch of a key set. */
export interface KeySetFreshness {
  readonly hasKeys: boolean;
  /** Consecutive failed fetches. */
  readonly failures: number;
  /** When the set was last fetched because of an unknown key, by the monotonic clock; null: never. */
  readonly refetchedAtMs: number | null;
}

/** Minimum interval between fetches because of unknown keys: anyone can invent a `kid`. */
export const refetchIntervalMs = 30_000;
/** Delay before the first retry; doubles with each failure. */
export const firstRetryMs = 5_000;
/** Maximum delay before a retry. */
export const longestRetryMs = 300_000;
/** The random part of a delay, so that many agents do not query their provider at once. */
const spread = 0.1;

export const neverFetched: KeySetFreshness = { hasKeys: false, failures: 0, refetchedAtMs: null };

export const keySetState = ({ hasKeys, failures }: KeySetFreshness): KeySetState => {
  if (!hasKeys) return 'absent';
  return failures === 0 ? 'fresh' : 'stale';
};

/** Whether a set may be fetched now because of an unknown key. Regular refreshes do not count. */
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
 * The delay from the end of a fetch to the next, in milliseconds: the refresh interval, or after failures a delay that
 * doubles from `firstRetryMs` to `longestRetryMs`, limited by the interval. Randomly reduced by up to a tenth.
 * @param fraction a random number, at least 0 and below 1
 */
export const nextAttemptDelayMs = ({ failures }: KeySetFreshness, refreshMs: number, fraction: number): number => {
  const doubled = firstRetryMs * 2 ** Math.min(failures - 1, 30);
  const wholeMs = failures === 0 ? refreshMs : Math.min(doubled, longestRetryMs, refreshMs);
  return wholeMs * (1 - spread * fraction);
};

/** Maximum keys of a set, including refused ones. */
export const maximumKeys = 100;

/** A key of a set that is not used. */
export interface RefusedKey {
  /** Null if it has none that is text. */
  readonly kid: string | null;
  /** One clause, without any of the key. */
  readonly reason: string;
}

export interface ReadKeySet {
  readonly keys: readonly PublicKey[];
  readonly refused: readonly RefusedKey[];
}

/** How a token selects its key. */
interface NamedKey {
  readonly kid: string | null;
  readonly algorithm: string;
}

const sharesName = (key: NamedKey, other: NamedKey): boolean =>
  key !== other && key.kid !== null && key.kid === other.kid && key.algorithm === other.algorithm;

/** Whether the member has the minimal form of a key (RFC 7517, section 4.1). */
const isKey = (member: JsonValue): boolean => isJsonObject(member) && typeof member['kty'] === 'string';

/**
 * Reads a JWK set (RFC 7517, section 5). Refuses unusable keys, not the set: providers also publish keys for other
 * uses. Two different keys with the same `kid` and algorithm are both refused, because choosing one would be a guess; a
 * repeated key counts once. A set without keys is invalid: no provider withdraws all its keys.
 * @param accepted see `readPublicKeys`
 */
export const readKeySet = (
  json: JsonValue,
  accepted: readonly AsymmetricAlgorithm[] | null = null,
): Result<ReadKeySet, string> => {
  const members = isJsonObject(json) ? json['keys'] : undefined;
  if (!Array.isArray(members)) return err('is not a JWK set');
  if (members.length > maximumKeys) return err(`has more than ${maximumKeys} keys`);
  if (!members.some(isKey)) return err('has no key');
  const found = new Map<string, PublicKey>();
  const refused: RefusedKey[] = [];
  for (const member of members as readonly JsonValue[]) {
    if (!isJsonObject(member)) {
      refused.push({ kid: null, reason: 'is not a JSON object' });
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
 * The key that a token names. The algorithms must match (RFC 8725, section 3.1). Without `kid`, the key must be
 * unambiguous.
 */
export const chooseKey = <Key extends NamedKey>(
  keys: readonly Key[],
  kid: string | null,
  algorithm: string,
): Key | null => {
  const fitting = keys.filter((key) => key.algorithm === algorithm && (kid === null || key.kid === kid));
  return fitting.length === 1 ? (fitting[0] as Key) : null;
};

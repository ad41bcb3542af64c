import type { BearerCredential } from '../../../domain/agent/identity/authorization-credential.js';
import type { TokenBinding } from '../../../domain/agent/tokens/confirmation-rules.js';
import { checkWindow, type TokenWindow } from '../../../domain/agent/tokens/jwt-claim-rules.js';
import { ownText } from '../../../domain/shared/utf8.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { CheckOutcome, CredentialCache } from './authentication-check.js';
import type { PreparedIdentity } from './prepared-identity.js';

/** A verified token. */
export interface VerifiedToken {
  readonly prepared: PreparedIdentity;
  readonly window: TokenWindow;
  /** The key that verified the signature; null: a key that lasts as long as the cache. */
  readonly key: { readonly isWithdrawn: boolean } | null;
  /** The certificate and the key that it is bound to. */
  readonly binding: TokenBinding;
}

/** A cached token that is valid now, if the request proves its binding. */
export interface RecalledToken {
  readonly outcome: CheckOutcome;
  /** The caller checks it for each request. */
  readonly binding: TokenBinding;
}

export interface TokenMemoryLimits {
  /** 0: no cache. */
  readonly maximumEntries: number;
  /** Maximum characters of all cached tokens together. The memory of an entry is proportional to its length. */
  readonly maximumSize: number;
}

/** The usual start of an Authorization value with a token. */
const fieldStart = 'Bearer ';
const fieldOf = (token: string): string => fieldStart + token;

/** Slots of the direct-mapped cache; a power of 2. */
const nearPlaces = 512;
/** An odd multiplier that spreads hashes. */
const spread = 0x9e37_79b1;

/** The slot of a field: a hash of a few characters of its end, where tokens have their signatures. */
const nearPlace = (field: string): number => {
  const { length } = field;
  let sum = length;
  for (let place = length - 1; place >= 0 && place > length - 9; place -= 1) {
    sum = Math.imul(sum ^ field.charCodeAt(place), spread);
    sum ^= sum >>> 15;
  }
  return sum & (nearPlaces - 1);
};

/** A cached token. It is the parsed credential as well, and a node of the LRU list. */
class RememberedToken implements BearerCredential, RecalledToken {
  readonly scheme = 'bearer';
  readonly token: string;
  readonly field: string;
  readonly outcome: CheckOutcome;
  readonly window: TokenWindow;
  readonly key: VerifiedToken['key'];
  readonly binding: TokenBinding;
  /** Null once evicted. */
  memory: VerifiedTokenCache | null;
  newer: RememberedToken | null = null;
  older: RememberedToken | null = null;

  constructor(shown: string, { prepared, window, key, binding }: VerifiedToken, memory: VerifiedTokenCache) {
    // Both share one copy of the text: the given token may be a slice that keeps a whole request head alive.
    this.field = ownText(fieldOf(shown));
    this.token = this.field.slice(fieldStart.length);
    this.outcome = { kind: 'authenticated', prepared };
    this.window = window;
    this.key = key;
    this.binding = binding;
    this.memory = memory;
  }
}

/**
 * Caches verified tokens for all checks, because verification costs much more than the rest of a request. A token stays
 * until it expires, its key is withdrawn, or LRU eviction. Keys are whole fields: a digest, or parsing the field, would
 * cost more than the look-up.
 */
export class VerifiedTokenCache implements CredentialCache {
  readonly #clock: Clock;
  readonly #limits: TokenMemoryLimits;
  /** By field. */
  readonly #entries = new Map<string, RememberedToken>();
  /** A direct-mapped cache in front of the map: the map must hash a text that it has not seen. */
  readonly #near: (RememberedToken | null)[] = Array.from({ length: nearPlaces }, () => null);
  #newest: RememberedToken | null = null;
  #oldest: RememberedToken | null = null;
  #size = 0;

  constructor(clock: Clock, limits: TokenMemoryLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** INVARIANT: a cached credential was parsed from exactly this field, or would be equal. */
  credential(authorization: string): BearerCredential | null {
    const place = nearPlace(authorization);
    const near = this.#near[place] ?? null;
    if (near !== null && near.field === authorization) return near;
    const entry = this.#entries.get(authorization) ?? null;
    if (entry !== null) this.#near[place] = entry;
    return entry;
  }

  /**
   * A cached token that is valid now; null if it must be verified. The responsible check reports what is wrong with a
   * token.
   */
  recall(credential: Pick<BearerCredential, 'token'>): RecalledToken | null {
    const isOwn = credential instanceof RememberedToken && credential.memory === this;
    const entry = isOwn ? credential : this.#entries.get(fieldOf(credential.token));
    if (entry === undefined) return null;
    if (entry.key?.isWithdrawn === true) {
      this.#forget(entry);
      return null;
    }
    const untimely = checkWindow(entry.window, this.#clock.wallMs());
    if (untimely === 'expired') this.#forget(entry);
    else if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#linkNewest(entry);
    }
    return untimely === null ? entry : null;
  }

  /** Caches a valid token, replacing an earlier entry. */
  remember(token: string, verified: VerifiedToken): void {
    const { maximumEntries, maximumSize } = this.#limits;
    if (maximumEntries === 0 || token.length > maximumSize) return;
    const entry = new RememberedToken(token, verified, this);
    const before = this.#entries.get(entry.field);
    if (before !== undefined) this.#forget(before);
    this.#entries.set(entry.field, entry);
    this.#size += token.length;
    this.#linkNewest(entry);
    while (this.#oldest !== null && (this.#entries.size > maximumEntries || this.#size > maximumSize)) {
      this.#forget(this.#oldest);
    }
  }

  #forget(entry: RememberedToken): void {
    entry.memory = null;
    this.#entries.delete(entry.field);
    const place = nearPlace(entry.field);
    if (this.#near[place] === entry) this.#near[place] = null;
    this.#unlink(entry);
    this.#size -= entry.token.length;
  }

  #linkNewest(entry: RememberedToken): void {
    entry.older = this.#newest;
    entry.newer = null;
    if (this.#newest !== null) this.#newest.newer = entry;
    this.#newest = entry;
    this.#oldest ??= entry;
  }

  #unlink(entry: RememberedToken): void {
    const { newer, older } = entry;
    if (newer === null) this.#newest = older;
    else newer.older = older;
    if (older === null) this.#oldest = newer;
    else older.newer = newer;
    entry.newer = null;
    entry.older = null;
  }
}

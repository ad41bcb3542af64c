import type { BearerCredential } from '../../../domain/agent/identity/authorization-credential.js';
import { checkWindow, type TokenWindow } from '../../../domain/agent/tokens/jwt-claim-rules.js';
import { ownText } from '../../../domain/shared/utf8.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { CheckOutcome, KnownCredentials } from './authentication-check.js';
import type { PreparedIdentity } from './prepared-identity.js';

/** A token that was verified. */
export interface VerifiedToken {
  readonly prepared: PreparedIdentity;
  readonly window: TokenWindow;
  /** The key that its signature was verified under; null: one that stays as long as the memory. */
  readonly key: { readonly isWithdrawn: boolean } | null;
  /** SHA-256 of the certificate that it is bound to; null: any request may show it. */
  readonly boundTo: string | null;
}

/** A remembered token that is good now, for a request that has its certificate. */
export interface RecalledToken {
  readonly outcome: CheckOutcome;
  /** As `VerifiedToken.boundTo`: whoever recalls a token checks it for each request. */
  readonly boundTo: string | null;
}

export interface TokenMemoryLimits {
  /** 0: nothing is remembered. */
  readonly maximumEntries: number;
  /** Characters of all remembered tokens together; what is kept of a token is of the order of its length. */
  readonly maximumSize: number;
}

/** How nearly everybody begins the field that shows a token. */
const fieldStart = 'Bearer ';
const fieldOf = (token: string): string => fieldStart + token;

/** Fields that are found at once; a power of 2. */
const nearPlaces = 512;
/** An odd number whose multiples are far apart. */
const spread = 0x9e37_79b1;

/**
 * Where a field is looked for first, by a few characters of its end: there tokens have their signatures, which
 * differ.
 */
const nearPlace = (field: string): number => {
  const { length } = field;
  let sum = length;
  for (let place = length - 1; place >= 0 && place > length - 9; place -= 1) {
    sum = Math.imul(sum ^ field.charCodeAt(place), spread);
    sum ^= sum >>> 15;
  }
  return sum & (nearPlaces - 1);
};

/** A token that is remembered, as the credential that shows it, and its neighbours in the order of use. */
class RememberedToken implements BearerCredential, RecalledToken {
  readonly scheme = 'bearer';
  readonly token: string;
  readonly field: string;
  readonly outcome: CheckOutcome;
  readonly window: TokenWindow;
  readonly key: VerifiedToken['key'];
  readonly boundTo: string | null;
  /** Null: it is forgotten. */
  memory: VerifiedTokenCache | null;
  newer: RememberedToken | null = null;
  older: RememberedToken | null = null;

  constructor(shown: string, { prepared, window, key, boundTo }: VerifiedToken, memory: VerifiedTokenCache) {
    // One text of its own for both: the token that was shown may be a part of a head, all of which it would keep.
    this.field = ownText(fieldOf(shown));
    this.token = this.field.slice(fieldStart.length);
    this.outcome = { kind: 'authenticated', prepared };
    this.window = window;
    this.key = key;
    this.boundTo = boundTo;
    this.memory = memory;
  }
}

/**
 * Remembers tokens that were verified, whichever check verified them, because that costs many times what the rest of
 * a request costs. A token is remembered until it expires, its key is withdrawn, or others push it out: the least
 * recently used goes first. Tokens are kept as they are, with the field that shows them: a digest of each that comes
 * would cost more than all the rest, and so would reading the field.
 */
export class VerifiedTokenCache implements KnownCredentials {
  readonly #clock: Clock;
  readonly #limits: TokenMemoryLimits;
  /** By the field. */
  readonly #entries = new Map<string, RememberedToken>();
  /**
   * Some of them, each where its field is looked for first: the map has to go through all of a text that it has not
   * seen.
   */
  readonly #near: (RememberedToken | null)[] = Array.from({ length: nearPlaces }, () => null);
  #newest: RememberedToken | null = null;
  #oldest: RememberedToken | null = null;
  #size = 0;

  constructor(clock: Clock, limits: TokenMemoryLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * INVARIANT: what is remembered was read from such a field, or would have been, so that it says nothing but this
   * token.
   */
  credential(authorization: string): BearerCredential | null {
    const place = nearPlace(authorization);
    const near = this.#near[place] ?? null;
    if (near !== null && near.field === authorization) return near;
    const entry = this.#entries.get(authorization) ?? null;
    if (entry !== null) this.#near[place] = entry;
    return entry;
  }

  /**
   * A token that was verified before, where it is good at this moment. Null where it has to be verified: what is wrong
   * with it is for the check to say that is in charge of it.
   */
  recall(credential: BearerCredential): RecalledToken | null {
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

  /** Remembers a token that is good now. One that was remembered before is replaced. */
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

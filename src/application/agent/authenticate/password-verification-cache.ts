import type { PasswordHash } from '../../../domain/agent/identity/password-hash-rules.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import { SharedCheck, type SharedVerdict } from './authentication-check.js';
import type { PasswordChecks, PasswordVerdict } from './password-checks.js';
import { TtlSet } from './ttl-set.js';

/**
 * How long a matching password is cached after its last use. Hashes are constant within a configuration, so a match
 * stays valid; an active user never waits in the queue again.
 */
export const rememberedMatchMs = 300_000;
/** Short, so that a newly set password works soon. */
export const rememberedMismatchMs = 5_000;
/** Matches and mismatches have separate caches, so that wrong passwords never evict right ones. Together 10 000. */
const rememberedMatches = 8_000;
const rememberedMismatches = 2_000;
/** Maximum requests that wait for checks, over all users. Keeps the agent responsive. */
export const maximumWaitingRequests = 256;

export interface PasswordVerificationPorts {
  /** By user; no user contains a colon. */
  readonly hashes: ReadonlyMap<string, PasswordHash>;
  /** Checked for unknown users, always without success. */
  readonly decoy: PasswordHash;
  readonly passwords: PasswordChecks;
  readonly digest: SecretDigest;
  readonly clock: Clock;
}

/**
 * Caches the results of password checks. Concurrent requests with the same credentials share one check. Keys are
 * digests, never passwords.
 */
export class PasswordVerificationCache {
  readonly #parts: PasswordVerificationPorts;
  readonly #matches: TtlSet;
  readonly #mismatches: TtlSet;
  /** Bounded by the checks that run or wait. */
  readonly #pending = new Map<string, SharedCheck>();
  #waiting = 0;

  constructor(parts: PasswordVerificationPorts) {
    this.#parts = parts;
    this.#matches = new TtlSet(parts.clock, rememberedMatchMs, rememberedMatches);
    this.#mismatches = new TtlSet(parts.clock, rememberedMismatchMs, rememberedMismatches);
  }

  /** Whether a match is cached; renews it. Checks nothing. */
  remembers(user: string, password: string): boolean {
    return this.#matches.renew(this.#keyOf(user, password));
  }

  /** Synchronous on a cache hit. Never rejects. */
  check(user: string, password: string, cancellation: Cancellation): PasswordVerdict | Promise<SharedVerdict> {
    const key = this.#keyOf(user, password);
    if (this.#matches.renew(key)) return 'match';
    if (this.#mismatches.has(key)) return 'mismatch';
    if (this.#waiting >= maximumWaitingRequests) return 'overloaded';
    const shared = this.#pending.get(key) ?? this.#begin(key, user, password);
    return shared === null ? 'overloaded' : this.#wait(shared.join(cancellation));
  }

  /** No user contains a colon, so distinct pairs have distinct texts. */
  #keyOf(user: string, password: string): string {
    return this.#parts.digest.digest(`${user}:${password}`);
  }

  async #wait(verdict: Promise<SharedVerdict>): Promise<SharedVerdict> {
    this.#waiting += 1;
    const reached = await verdict;
    this.#waiting -= 1;
    return reached;
  }

  /** Null if the queue is full. */
  #begin(key: string, user: string, password: string): SharedCheck | null {
    const { hashes, decoy, passwords } = this.#parts;
    const hash = hashes.get(user);
    const check = passwords.check(user, password, hash ?? decoy);
    if (!check.isAdmitted) return null;
    const verdict = check.verdict.then((checked) => {
      if (this.#pending.get(key) === shared) this.#pending.delete(key);
      if (checked === 'overloaded') return checked;
      const verdict = hash === undefined ? 'mismatch' : checked;
      (verdict === 'match' ? this.#matches : this.#mismatches).add(key);
      return verdict;
    });
    // Synchronous, so that the next request with these credentials starts a new check.
    const shared = new SharedCheck({ ...check, verdict }, () => void this.#pending.delete(key));
    this.#pending.set(key, shared);
    return shared;
  }
}

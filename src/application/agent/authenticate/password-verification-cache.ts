import type { PasswordHash } from '../../../domain/agent/identity/password-hash-rules.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import { SharedCheck, type SharedVerdict } from './authentication-check.js';
import type { PasswordChecks, PasswordVerdict } from './password-checks.js';
import { TtlSet } from './ttl-set.js';

/**
 * How long a password that matched is remembered after its last use. A hash does not change under a configuration, so
 * a match stays one: whoever uses it is not sent back to the queue, which others may have filled.
 */
export const rememberedMatchMs = 300_000;
/** Short: a password that has just been set is tried again soon. */
export const rememberedMismatchMs = 5_000;
/** Together 10 000. Kept apart, so that no number of wrong passwords makes a right one forgotten. */
const rememberedMatches = 8_000;
const rememberedMismatches = 2_000;
/** Requests that may wait for checks, of all users together: what else the agent has to do is not held up by them. */
export const maximumWaitingRequests = 256;

export interface PasswordVerificationPorts {
  /** By user; none has a colon. */
  readonly hashes: ReadonlyMap<string, PasswordHash>;
  /** What the passwords of other users are checked against, to no avail. */
  readonly decoy: PasswordHash;
  readonly passwords: PasswordChecks;
  readonly digest: SecretDigest;
  readonly clock: Clock;
}

/**
 * Passwords of which hashes are kept. What a check came to is remembered briefly, and requests that show the same at
 * the same time share one check. Keys are digests, never passwords.
 */
export class PasswordVerificationCache {
  readonly #parts: PasswordVerificationPorts;
  readonly #matches: TtlSet;
  readonly #mismatches: TtlSet;
  /** As many as run or wait, at most. */
  readonly #pending = new Map<string, SharedCheck>();
  #waiting = 0;

  constructor(parts: PasswordVerificationPorts) {
    this.#parts = parts;
    this.#matches = new TtlSet(parts.clock, rememberedMatchMs, rememberedMatches);
    this.#mismatches = new TtlSet(parts.clock, rememberedMismatchMs, rememberedMismatches);
  }

  /** Whether it remembers that they match; it does so anew from now on. Nothing is checked. */
  remembers(user: string, password: string): boolean {
    return this.#matches.renew(this.#keyOf(user, password));
  }

  /** Answers at once where it remembers. Never rejects. */
  check(user: string, password: string, cancellation: Cancellation): PasswordVerdict | Promise<SharedVerdict> {
    const key = this.#keyOf(user, password);
    if (this.#matches.renew(key)) return 'match';
    if (this.#mismatches.has(key)) return 'mismatch';
    if (this.#waiting >= maximumWaitingRequests) return 'overloaded';
    const shared = this.#pending.get(key) ?? this.#begin(key, user, password);
    return shared === null ? 'overloaded' : this.#wait(shared.join(cancellation));
  }

  /** No user has a colon, of HTTP Basic or otherwise: no two pairs make one text. */
  #keyOf(user: string, password: string): string {
    return this.#parts.digest.digest(`${user}:${password}`);
  }

  async #wait(verdict: Promise<SharedVerdict>): Promise<SharedVerdict> {
    this.#waiting += 1;
    const reached = await verdict;
    this.#waiting -= 1;
    return reached;
  }

  /** Null where no more can wait. */
  #begin(key: string, user: string, password: string): SharedCheck | null {
    const { hashes, decoy, passwords } = this.#parts;
    const hash = hashes.get(user);
    const check = passwords.check(user, password, hash ?? decoy);
    if (!check.isAdmitted) return null;
    const verdict = check.verdict.then((checked) => {
      if (this.#pending.get(key) === shared) this.#pending.delete(key);
      if (checked === 'overloaded') return checked;
      const judged = hash === undefined ? 'mismatch' : checked;
      (judged === 'match' ? this.#matches : this.#mismatches).add(key);
      return judged;
    });
    // At once: whoever shows the same next begins anew.
    const shared = new SharedCheck({ ...check, verdict }, () => void this.#pending.delete(key));
    this.#pending.set(key, shared);
    return shared;
  }
}

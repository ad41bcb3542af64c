import {
  fetchedLease,
  leaseMs,
  longestHoldMs,
  untilToken,
  wishedLease,
} from '../../../../domain/gateway/rate-limiting/token-lease.js';
import type { RateLimit } from '../../../../domain/shared/token-bucket.js';
import type { RateLimitCharge } from '../../../ports/shared/rate-limit-store.js';
import type { AnsweredBucket, AskedBucket } from './rate-notices.js';

/** What one worker has and knows of one bucket. All moments are of the worker's own clock. */
export class LocalLease {
  readonly space: string;
  readonly key: string;
  #limit: RateLimit;
  /** Whole tokens that requests may take without asking. */
  #tokens = 0;
  /** Tokens of requests that wait for what they lack of other buckets. */
  #reserved = 0;
  /** Requests that wait for a token of it. */
  #lacking = 0;
  #spent = 0;
  #returned = 0;
  /** Questions about it that are not answered. */
  #questions = 0;
  /** One of them wishes for more than its requests need. */
  #isWishing = false;
  #lentAtMs = 0;
  /** In the bucket itself when it was last asked about. */
  #leftThere: number;
  #leftAtMs = 0;
  #emptyUntilMs = Number.NEGATIVE_INFINITY;
  #tokenAtMs = 0;
  #usesNow = 0;
  #usesBefore = 0;

  constructor({ space, key, limit }: RateLimitCharge) {
    this.space = space;
    this.key = key;
    this.#limit = limit;
    this.#leftThere = limit.burst;
  }

  get hasToken(): boolean {
    return this.#tokens > 0;
  }

  /** Tokens of the bucket and of this worker; what other workers have is not known. */
  get left(): number {
    return this.#leftThere + this.#tokens;
  }

  /** There is something to give account of. */
  get owesAccount(): boolean {
    return this.#spent + this.#returned > 0;
  }

  /** Nothing is lost where it is forgotten, but that the bucket is empty. */
  get mayGo(): boolean {
    return this.#tokens + this.#reserved + this.#lacking + this.#spent + this.#returned + this.#questions === 0;
  }

  isOf({ requestsPerSecond, burst }: RateLimit): boolean {
    return requestsPerSecond === this.#limit.requestsPerSecond && burst === this.#limit.burst;
  }

  /** Another limit holds: what was lent under the old one goes back. */
  change(limit: RateLimit): void {
    this.#limit = limit;
    this.giveBack();
    this.#leftThere = Math.min(this.#leftThere, limit.burst);
    this.#emptyUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** It is used so much that more tokens are fetched before it has none. */
  runsLow(nowMs: number): boolean {
    return !this.#isWishing && this.#fetched(nowMs) > 0;
  }

  /** Milliseconds until the bucket has a token, where it is known to have none; 0: it may have one. */
  emptyForMs(nowMs: number): number {
    const holdsMs = this.#emptyUntilMs - nowMs;
    // A clock that was set back does not make the wait longer.
    return holdsMs > 0 && holdsMs <= longestHoldMs + 1 ? Math.max(1, Math.ceil(this.#tokenAtMs - nowMs)) : 0;
  }

  spend(): void {
    this.#tokens -= 1;
    this.#spent += 1;
    this.#usesNow += 1;
  }

  reserve(): void {
    this.#tokens -= 1;
    this.#reserved += 1;
  }

  spendReserved(): void {
    this.#reserved -= 1;
    this.#spent += 1;
    this.#usesNow += 1;
  }

  release(): void {
    this.#reserved -= 1;
    this.#tokens += 1;
  }

  /** A request waits for a token until one of the next two is called. */
  lack(): void {
    this.#lacking += 1;
  }

  noteGranted(): void {
    this.#lacking -= 1;
    this.#usesNow += 1;
  }

  noteNotGranted(): void {
    this.#lacking -= 1;
  }

  /** What was done with tokens until now; nothing is asked for. */
  account(): AskedBucket {
    const [spent, returned] = [this.#spent, this.#returned];
    this.#spent = 0;
    this.#returned = 0;
    return { space: this.space, key: this.key, limit: this.#limit, spent, returned, wished: 0 };
  }

  /** The account, and what is wished for beside the tokens that requests lack. Every question is answered. */
  ask(nowMs: number): AskedBucket {
    this.#questions += 1;
    if (this.#isWishing) return this.account();
    const wished = this.#lacking > 0 ? this.#wished() : this.#fetched(nowMs);
    this.#isWishing = wished > 0;
    return { ...this.account(), wished };
  }

  /** A question is not open any more. */
  noteClosed({ wished }: AskedBucket): void {
    this.#questions -= 1;
    if (wished > 0) this.#isWishing = false;
  }

  /** @param asked what this answers */
  take({ left, lent, holdMs }: AnsweredBucket, asked: AskedBucket, askedAtMs: number, nowMs: number): void {
    this.noteClosed(asked);
    if (!this.isOf(asked.limit)) {
      this.#returned += lent;
      return;
    }
    this.#leftThere = left;
    this.#leftAtMs = nowMs;
    this.#tokens += lent;
    if (lent > 0) this.#lentAtMs = nowMs;
    // It was so at some time after the question: at the latest then a token is there.
    this.#emptyUntilMs = holdMs > 0 ? askedAtMs + holdMs : Number.NEGATIVE_INFINITY;
    this.#tokenAtMs = askedAtMs + untilToken(left, this.#limit);
  }

  /** To be called as often as uses are counted together. */
  grow(nowMs: number): void {
    this.#usesBefore = this.#usesNow;
    this.#usesNow = 0;
    if (Math.abs(nowMs - this.#lentAtMs) >= leaseMs) this.giveBack();
  }

  /** Nobody has used it lately, and nothing is known of it that saves a question. */
  isIdle(nowMs: number): boolean {
    return this.mayGo && this.#usesBefore === 0 && this.emptyForMs(nowMs) === 0;
  }

  /** What requests have reserved stays. */
  giveBack(): void {
    this.#returned += this.#tokens;
    this.#tokens = 0;
  }

  #wished(): number {
    return wishedLease(Math.max(this.#usesNow, this.#usesBefore), this.#limit);
  }

  #fetched(nowMs: number): number {
    const { requestsPerSecond } = this.#limit;
    const expected = this.#leftThere + (Math.max(0, nowMs - this.#leftAtMs) * requestsPerSecond) / 1000;
    return fetchedLease(this.#wished(), this.#tokens, expected);
  }
}

import {
  fetchedLease,
  leaseMs,
  longestEmptyBackoffMs,
  requestedLease,
  untilToken,
} from '../../../../domain/gateway/rate-limiting/token-lease.js';
import type { RateLimit } from '../../../../domain/shared/token-bucket.js';
import type { RateLimitCharge } from '../../../ports/shared/rate-limit-store.js';
import type { BucketGrant, BucketRequest } from './rate-messages.js';

/** The tokens that one worker holds of one bucket, and the last known state of it. Times are of the worker's clock. */
export class LocalLease {
  readonly space: string;
  readonly key: string;
  #limit: RateLimit;
  /** Whole tokens that requests may take without asking. */
  #tokens = 0;
  /** Tokens of requests that wait for a token of another bucket. */
  #reserved = 0;
  /** Requests that wait for a token of this bucket. */
  #lacking = 0;
  #spent = 0;
  #returned = 0;
  /** Unanswered questions about it. */
  #questions = 0;
  /** An unanswered question asks for more tokens than its requests need. */
  #isWishing = false;
  #lentAtMs = 0;
  /** Tokens in the bucket, according to the last answer. */
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

  /** Tokens of the bucket and of this worker. Tokens lent to other workers are unknown. */
  get left(): number {
    return this.#leftThere + this.#tokens;
  }

  /** The supervisor does not know of some spent or returned tokens. */
  get owesAccount(): boolean {
    return this.#spent + this.#returned > 0;
  }

  /** Eviction loses at most the knowledge that the bucket is empty. */
  get isEvictable(): boolean {
    return this.#tokens + this.#reserved + this.#lacking + this.#spent + this.#returned + this.#questions === 0;
  }

  hasLimit({ requestsPerSecond, burst }: RateLimit): boolean {
    return requestsPerSecond === this.#limit.requestsPerSecond && burst === this.#limit.burst;
  }

  /** Replaces the limit, and returns the tokens lent under the old one. */
  changeLimit(limit: RateLimit): void {
    this.#limit = limit;
    this.giveBack();
    this.#leftThere = Math.min(this.#leftThere, limit.burst);
    this.#emptyUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Its use is so high that the worker should fetch more tokens in advance. */
  runsLow(nowMs: number): boolean {
    return !this.#isWishing && this.#fetched(nowMs) > 0;
  }

  /** Milliseconds until the empty bucket has a token; 0: it may have one now. */
  emptyForMs(nowMs: number): number {
    const holdsMs = this.#emptyUntilMs - nowMs;
    // A clock that was set back does not make the wait longer.
    return holdsMs > 0 && holdsMs <= longestEmptyBackoffMs + 1 ? Math.max(1, Math.ceil(this.#tokenAtMs - nowMs)) : 0;
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

  /** A request waits for a token until `grantWaiter` or `removeWaiter` is called. */
  addWaiter(): void {
    this.#lacking += 1;
  }

  grantWaiter(): void {
    this.#lacking -= 1;
    this.#usesNow += 1;
  }

  removeWaiter(): void {
    this.#lacking -= 1;
  }

  /** The tokens spent and returned since the last account; asks for none. */
  takeAccount(): BucketRequest {
    const [spent, returned] = [this.#spent, this.#returned];
    this.#spent = 0;
    this.#returned = 0;
    return { space: this.space, key: this.key, limit: this.#limit, spent, returned, wished: 0 };
  }

  /** The account, and how many tokens to lend beyond those that requests wait for. Every question gets an answer. */
  ask(nowMs: number): BucketRequest {
    this.#questions += 1;
    if (this.#isWishing) return this.takeAccount();
    const wished = this.#lacking > 0 ? this.#wished() : this.#fetched(nowMs);
    this.#isWishing = wished > 0;
    return { ...this.takeAccount(), wished };
  }

  /** A question was answered or abandoned. */
  closeQuestion({ wished }: BucketRequest): void {
    this.#questions -= 1;
    if (wished > 0) this.#isWishing = false;
  }

  /** @param asked the request that this grant answers */
  take({ left, lent, holdMs }: BucketGrant, asked: BucketRequest, askedAtMs: number, nowMs: number): void {
    this.closeQuestion(asked);
    if (!this.hasLimit(asked.limit)) {
      this.#returned += lent;
      return;
    }
    this.#leftThere = left;
    this.#leftAtMs = nowMs;
    this.#tokens += lent;
    if (lent > 0) this.#lentAtMs = nowMs;
    // The supervisor measured it after the question was sent, so this bound is on the early side.
    this.#emptyUntilMs = holdMs > 0 ? askedAtMs + holdMs : Number.NEGATIVE_INFINITY;
    this.#tokenAtMs = askedAtMs + untilToken(left, this.#limit);
  }

  /** Starts the next interval of use counts. Call it once in each interval. */
  age(nowMs: number): void {
    this.#usesBefore = this.#usesNow;
    this.#usesNow = 0;
    if (Math.abs(nowMs - this.#lentAtMs) >= leaseMs) this.giveBack();
  }

  /** Not used in the last intervals, and its state saves no question. */
  isIdle(nowMs: number): boolean {
    return this.isEvictable && this.#usesBefore === 0 && this.emptyForMs(nowMs) === 0;
  }

  /** Returns the unreserved tokens. */
  giveBack(): void {
    this.#returned += this.#tokens;
    this.#tokens = 0;
  }

  #wished(): number {
    return requestedLease(Math.max(this.#usesNow, this.#usesBefore), this.#limit);
  }

  #fetched(nowMs: number): number {
    const { requestsPerSecond } = this.#limit;
    const expected = this.#leftThere + (Math.max(0, nowMs - this.#leftAtMs) * requestsPerSecond) / 1000;
    return fetchedLease(this.#wished(), this.#tokens, expected);
  }
}

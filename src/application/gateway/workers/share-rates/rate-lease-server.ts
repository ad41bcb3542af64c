import type { Clock } from '../../../ports/shared/clock.js';
import type { RateLimitAnswer } from '../../../ports/shared/rate-limit-store.js';
import type { ScheduledTask, Scheduler } from '../../../ports/shared/scheduler.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import type { LocalLease } from './local-lease.js';
import { type AskedBucket, type RateAnswer, rateAnswers, rateQuestions } from './rate-notices.js';

/** Longer than a supervisor that is well takes, shorter than a client notices. */
const answerMs = 250;

/** Requests that may wait for answers, and questions that may be without one. */
const mostWaiting = 10_000;
const mostQuestions = 1_000;

export interface RateDeskParts {
  readonly supervisor: WorkerChannel;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Runs a task once everything that has happened by now has been dealt with: requests of one turn of the loop are asked about together. */
  readonly atEndOfTurn: (task: () => void) => void;
}

/** A request that lacks tokens: of each bucket it has one reserved, or lacks one. */
export interface LackingRequest {
  readonly leases: readonly LocalLease[];
  /** Indexes of those that it lacks a token of, at least one. */
  readonly lacking: readonly number[];
}

interface WaitingRequest extends LackingRequest {
  settle(answer: RateLimitAnswer): void;
}

interface OpenQuestion {
  readonly leases: readonly LocalLease[];
  readonly asked: readonly AskedBucket[];
  readonly askedAtMs: number;
  /** None once they have waited for too long. */
  requests: readonly WaitingRequest[];
  readonly deadline: ScheduledTask;
}

/** Asks the supervisor for the tokens that requests lack, those of one turn of the loop together. */
export class RateLeaseServer {
  readonly #parts: RateDeskParts;
  readonly #open = new Map<number, OpenQuestion>();
  #gathered: WaitingRequest[] = [];
  readonly #fetched = new Set<LocalLease>();
  #waiting = 0;
  #lastNumber = 0;

  constructor(parts: RateDeskParts) {
    this.#parts = parts;
    parts.supervisor.hear(rateAnswers, (answer) => this.#take(answer));
  }

  /** Settles within 250 ms; what the request has reserved is spent then, or released. */
  ask(request: LackingRequest): RateLimitAnswer | Promise<RateLimitAnswer> {
    const { supervisor, atEndOfTurn } = this.#parts;
    if (supervisor.isClosed) return refuseLease(request, 'the supervisor is gone');
    if (this.#waiting >= mostWaiting || this.#open.size >= mostQuestions) {
      return refuseLease(request, 'too many requests wait for the supervisor');
    }
    this.#waiting += 1;
    if (!this.#isGathering) atEndOfTurn(() => this.#send());
    return new Promise((resolve) => {
      const settle = (answer: RateLimitAnswer): void => {
        this.#waiting -= 1;
        resolve(answer);
      };
      this.#gathered.push({ ...request, settle });
    });
  }

  /** Asks for more tokens of a bucket that this worker still has some of; no request waits for the answer. */
  fetch(lease: LocalLease): void {
    const { supervisor, atEndOfTurn } = this.#parts;
    if (supervisor.isClosed || this.#open.size >= mostQuestions) return;
    if (!this.#isGathering) atEndOfTurn(() => this.#send());
    this.#fetched.add(lease);
  }

  /** Tells the supervisor what was done with tokens. */
  account(leases: readonly LocalLease[]): void {
    const buckets = leases.map((lease) => lease.account());
    if (buckets.length > 0) this.#parts.supervisor.tell(rateQuestions, { number: 0, buckets, requests: [] });
  }

  get #isGathering(): boolean {
    return this.#gathered.length + this.#fetched.size > 0;
  }

  #send(): void {
    const { supervisor, clock, scheduler } = this.#parts;
    const requests = this.#gathered;
    this.#gathered = [];
    const places = new Map<LocalLease, number>();
    const placeOf = (lease: LocalLease): number => {
      const place = places.get(lease) ?? places.size;
      places.set(lease, place);
      return place;
    };
    const lacking = requests.map((request) =>
      request.lacking.map((index) => placeOf(request.leases[index] as LocalLease)),
    );
    for (const lease of this.#fetched) placeOf(lease);
    this.#fetched.clear();
    const nowMs = clock.monotonicMs();
    const leases = [...places.keys()];
    const buckets = leases.map((lease) => lease.ask(nowMs));
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const deadline = scheduler.after(answerMs, () => this.#giveUp(number));
    this.#open.set(number, { leases, asked: buckets, askedAtMs: nowMs, requests, deadline });
    supervisor.tell(rateQuestions, { number, buckets, requests: lacking });
  }

  /** The question stays: its answer still says what was lent. */
  #giveUp(number: number): void {
    const question = this.#open.get(number);
    if (question === undefined) return;
    const { requests } = question;
    question.requests = [];
    for (const request of requests) request.settle(refuseLease(request, 'the supervisor did not answer in time'));
    if (!this.#parts.supervisor.isClosed) return;
    this.#open.delete(number);
    question.leases.forEach((lease, index) => lease.noteClosed(question.asked[index] as AskedBucket));
  }

  #take(answer: RateAnswer): void {
    const question = this.#open.get(answer.number);
    if (question === undefined) return;
    this.#open.delete(answer.number);
    question.deadline.cancel();
    const { leases, asked, askedAtMs, requests } = question;
    const nowMs = this.#parts.clock.monotonicMs();
    answer.buckets.forEach((bucket, index) => {
      leases[index]?.take(bucket, asked[index] as AskedBucket, askedAtMs, nowMs);
    });
    requests.forEach((request, index) => {
      const refused = answer.requests[index] ?? null;
      if (refused === null) {
        spend(request);
        request.settle({ kind: 'taken', left: leftOf(request) });
        return;
      }
      release(request);
      const refusedBy = request.lacking[refused.refusedBy] as number;
      request.settle({ kind: 'refused', refusedBy, waitMs: refused.waitMs, left: leftOf(request) });
    });
  }
}

const leftOf = ({ leases }: LackingRequest): readonly number[] => leases.map(({ left }) => left);

const spend = ({ leases, lacking }: LackingRequest): void => {
  leases.forEach((lease, index) => {
    if (lacking.includes(index)) lease.noteGranted();
    else lease.spendReserved();
  });
};

/** Gives up what a request has reserved, and waits for. */
const release = ({ leases, lacking }: LackingRequest): void => {
  leases.forEach((lease, index) => {
    if (lacking.includes(index)) lease.noteNotGranted();
    else lease.release();
  });
};

/** Of a request that nothing comes of. */
export const refuseLease = (request: LackingRequest, detail: string): RateLimitAnswer => {
  release(request);
  return { kind: 'unavailable', detail };
};

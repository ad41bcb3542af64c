import type { Clock } from '../../../ports/shared/clock.js';
import type { RateLimitAnswer } from '../../../ports/shared/rate-limit-store.js';
import type { ScheduledTask, Scheduler } from '../../../ports/shared/scheduler.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import type { LocalLease } from './local-lease.js';
import { type BucketRequest, type RateAnswer, rateAnswers, rateQuestions } from './rate-messages.js';

/** Timeout of an answer, in milliseconds: longer than a healthy supervisor needs, shorter than a client notices. */
const answerTimeoutMs = 250;

/** Requests that may wait, and questions that may be unanswered. */
const maximumWaitingRequests = 10_000;
const maximumOpenQuestions = 1_000;

export interface RateLeaseClientPorts {
  readonly supervisor: WorkerChannel;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Runs a task at the end of the event-loop turn, so that one question covers all requests of the turn. */
  readonly atEndOfTurn: (task: () => void) => void;
}

/** A request that lacks tokens. Of each of its buckets it has a token reserved, or lacks one. */
export interface PendingLeaseRequest {
  readonly leases: readonly LocalLease[];
  /** Indexes of the leases that it lacks a token of; at least one. */
  readonly lacking: readonly number[];
}

interface WaitingRequest extends PendingLeaseRequest {
  settle(answer: RateLimitAnswer): void;
}

interface OpenQuestion {
  readonly leases: readonly LocalLease[];
  readonly asked: readonly BucketRequest[];
  readonly askedAtMs: number;
  /** Empty after the timeout. */
  requests: readonly WaitingRequest[];
  readonly deadline: ScheduledTask;
}

/** Asks the supervisor for the tokens that requests lack, with one question for each event-loop turn. */
export class RateLeaseClient {
  readonly #parts: RateLeaseClientPorts;
  readonly #open = new Map<number, OpenQuestion>();
  #gathered: WaitingRequest[] = [];
  readonly #fetched = new Set<LocalLease>();
  #waiting = 0;
  #lastNumber = 0;

  constructor(parts: RateLeaseClientPorts) {
    this.#parts = parts;
    parts.supervisor.hear(rateAnswers, (answer) => this.#take(answer));
  }

  /** Settles within 250 ms. Spends or releases the reserved tokens of the request. */
  ask(request: PendingLeaseRequest): RateLimitAnswer | Promise<RateLimitAnswer> {
    const { supervisor, atEndOfTurn } = this.#parts;
    if (supervisor.isClosed) return refuseLease(request, 'the supervisor is gone');
    if (this.#waiting >= maximumWaitingRequests || this.#open.size >= maximumOpenQuestions) {
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

  /** Asks for tokens in advance, before the lease has none. No request waits for the answer. */
  fetch(lease: LocalLease): void {
    const { supervisor, atEndOfTurn } = this.#parts;
    if (supervisor.isClosed || this.#open.size >= maximumOpenQuestions) return;
    if (!this.#isGathering) atEndOfTurn(() => this.#send());
    this.#fetched.add(lease);
  }

  /** Reports spent and returned tokens to the supervisor. */
  account(leases: readonly LocalLease[]): void {
    const buckets = leases.map((lease) => lease.takeAccount());
    if (buckets.length > 0) this.#parts.supervisor.tell(rateQuestions, { number: 0, buckets, requests: [] });
  }

  get #isGathering(): boolean {
    return this.#gathered.length + this.#fetched.size > 0;
  }

  #send(): void {
    const { supervisor, clock, scheduler } = this.#parts;
    const requests = this.#gathered;
    this.#gathered = [];
    const indexes = new Map<LocalLease, number>();
    const indexOf = (lease: LocalLease): number => {
      const index = indexes.get(lease) ?? indexes.size;
      indexes.set(lease, index);
      return index;
    };
    const lacking = requests.map((request) =>
      request.lacking.map((index) => indexOf(request.leases[index] as LocalLease)),
    );
    for (const lease of this.#fetched) indexOf(lease);
    this.#fetched.clear();
    const nowMs = clock.monotonicMs();
    const leases = [...indexes.keys()];
    const buckets = leases.map((lease) => lease.ask(nowMs));
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const deadline = scheduler.after(answerTimeoutMs, () => this.#giveUp(number));
    this.#open.set(number, { leases, asked: buckets, askedAtMs: nowMs, requests, deadline });
    supervisor.tell(rateQuestions, { number, buckets, requests: lacking });
  }

  /** Keeps the question open: a late answer still lends tokens. */
  #giveUp(number: number): void {
    const question = this.#open.get(number);
    if (question === undefined) return;
    const { requests } = question;
    question.requests = [];
    for (const request of requests) request.settle(refuseLease(request, 'the supervisor did not answer in time'));
    if (!this.#parts.supervisor.isClosed) return;
    this.#open.delete(number);
    question.leases.forEach((lease, index) => lease.closeQuestion(question.asked[index] as BucketRequest));
  }

  #take(answer: RateAnswer): void {
    const question = this.#open.get(answer.number);
    if (question === undefined) return;
    this.#open.delete(answer.number);
    question.deadline.cancel();
    const { leases, asked, askedAtMs, requests } = question;
    const nowMs = this.#parts.clock.monotonicMs();
    answer.buckets.forEach((bucket, index) => {
      leases[index]?.take(bucket, asked[index] as BucketRequest, askedAtMs, nowMs);
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

const leftOf = ({ leases }: PendingLeaseRequest): readonly number[] => leases.map(({ left }) => left);

const spend = ({ leases, lacking }: PendingLeaseRequest): void => {
  leases.forEach((lease, index) => {
    if (lacking.includes(index)) lease.grantWaiter();
    else lease.spendReserved();
  });
};

/** Releases the reserved tokens of a request, and stops its waits. */
const release = ({ leases, lacking }: PendingLeaseRequest): void => {
  leases.forEach((lease, index) => {
    if (lacking.includes(index)) lease.removeWaiter();
    else lease.release();
  });
};

/** Releases the tokens of a request that cannot be decided. */
export const refuseLease = (request: PendingLeaseRequest, detail: string): RateLimitAnswer => {
  release(request);
  return { kind: 'unavailable', detail };
};

import {
  type AttemptFailure,
  type AttemptOutcome,
  outcomeOfFailure,
  outcomeOfStatus,
} from '../../domain/circuit-breaking/failure-classification.js';
import type { UpstreamExchange, UpstreamFailure } from '../ports/upstream-client.js';
import type { ChosenTarget } from '../upstream-targets/chosen-target.js';
import type { Exchange } from './exchange.js';
import type { PartTrace } from './request-trace.js';
import type { ResponseFault } from './response-fault.js';

/** How an attempt ended. */
export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  /** What went wrong, in one word; null: nothing. */
  readonly errorType: string | null;
  /** The same at length, for whoever looks after the target. */
  readonly detail: string | undefined;
}

/** One that nothing went wrong with; but the answer may be a failure itself. */
export const endOfStatus = (status: number): AttemptEnd => {
  const outcome = outcomeOfStatus(status);
  return { outcome, errorType: null, detail: outcome === 'failure' ? `status ${status}` : undefined };
};

/** One without an answer, or with one that broke off. */
export const endOfFailure = (failure: AttemptFailure, detail: string): AttemptEnd => ({
  outcome: outcomeOfFailure(failure),
  errorType: failure,
  detail,
});

/** One whose answer has come as far as it will. `fault` is why the client did not get all of it; null: it is gone, or has it. */
export const endOfAnswer = (exchange: Exchange, status: number, fault: ResponseFault | null): AttemptEnd => {
  const said = endOfStatus(status);
  // A status that is a failure is one, however much of its body comes.
  if (said.outcome === 'failure') return said;
  if (exchange.abandoned) return endOfFailure('cancelled', 'the client is gone');
  if (fault?.kind !== 'upstream') return said;
  const { code, detail } = blamed(exchange, fault.failure);
  return endOfFailure(code, detail);
};

/** A failure as it has to be told: no upstream is to blame for a request body that did not come. */
export const blamed = (exchange: Exchange, failure: UpstreamFailure): UpstreamFailure => {
  if (failure.code === 'cancelled' || (exchange.body?.failure ?? null) === null) return failure;
  return { ...failure, code: 'request_body' };
};

/** One sending of a request to a target: from the choice of the target until nothing more goes to or comes from it. */
export class UpstreamAttempt {
  /** Null until there is an answer. */
  #status: number | null = null;
  #isOver = false;

  constructor(
    readonly target: ChosenTarget,
    readonly sent: UpstreamExchange,
    readonly trace: PartTrace | null,
  ) {}

  /** The head of an answer has come. */
  answered(status: number): void {
    this.#status = status;
    if (outcomeOfStatus(status) === 'success') this.target.answered();
  }

  /** It is over; what is told after the first time is not heard. */
  end({ outcome, errorType, detail }: AttemptEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.target.ended(outcome, detail);
    this.trace?.end(this.#status, errorType);
  }
}

import type {
  BalancingRequest,
  ChosenTarget,
  TargetChoice,
  TargetChooser,
} from '../../../src/application/gateway/choose-upstream/chosen-target.js';
import type {
  TargetClient,
  UpstreamFailure,
  UpstreamFailureCode,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../src/application/ports/gateway/upstream-client.js';
import type { AttemptOutcome } from '../../../src/domain/gateway/circuit-breaking/circuit-breaker.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';
import { ScriptedBody } from './scripted-body.js';

type Answer = Result<UpstreamResponse, UpstreamFailure>;

/** A request, and what its sender says where it might be sent once more. */
export interface ScriptedRequest extends UpstreamRequest {
  readonly takeRetry: () => boolean;
}

/** What a target does with a request. */
export type TargetScript = (request: ScriptedRequest) => Answer | Promise<Answer>;

/** An answer whose body comes in these pieces; `null` among them breaks it off. */
export const answered = (
  status: number,
  pieces: readonly (string | null)[] = [],
  changes: Partial<UpstreamResponse> = {},
): Answer =>
  ok({
    status,
    headers: [],
    body: new ScriptedBody(pieces),
    received: null,
    isBodyLate: false,
    tunnel: null,
    ...changes,
  });

export const failed = (code: UpstreamFailureCode, neverSent = false): Answer =>
  err({ code, neverSent, detail: `it is ${code}` });

/** What a target that is taken out does with those that wait for a connection to it. */
export const evicted: Answer = err({ code: 'overloaded', neverSent: true, wasEvicted: true, detail: 'taken out' });

/** Targets that do what a test says, chosen in their order. */
export class ScriptedTargets implements TargetChooser {
  /** The addresses that requests were sent to. */
  readonly sent: string[] = [];
  readonly requests: UpstreamRequest[] = [];
  readonly wishes: BalancingRequest[] = [];
  /** `address: outcome`, with `answered` for what was told before the end. */
  readonly told: string[] = [];
  readonly details: (string | undefined)[] = [];
  /** Exchanges that were cancelled. */
  cancelled = 0;
  /** What a first choice comes to; null: the first target. */
  refusal: Exclude<TargetChoice, { kind: 'chosen' }> | null = null;
  readonly connectMs = 10_000;
  readonly #scripts: ReadonlyMap<string, TargetScript>;

  constructor(scripts: Readonly<Record<string, TargetScript>>) {
    this.#scripts = new Map(Object.entries(scripts));
  }

  get hasChoice(): boolean {
    return this.#scripts.size > 1;
  }

  hasOther(tried: readonly string[]): boolean {
    return [...this.#scripts.keys()].some((address) => !tried.includes(address));
  }

  choose(wish: BalancingRequest): TargetChoice {
    const { clientIp, headers, isSecure, tried } = wish;
    this.wishes.push({ clientIp, headers, isSecure, tried: [...tried] });
    if (this.refusal !== null) return this.refusal;
    for (const [address, script] of this.#scripts) {
      if (!wish.tried.includes(address)) return this.#target(address, script);
    }
    return { kind: 'exhausted' };
  }

  #target(address: string, script: TargetScript): ChosenTarget {
    return {
      kind: 'chosen',
      address,
      client: this.#client(address, script),
      hasSiblings: false,
      next: () => null,
      responseHeaders: ['Set-Cookie', `at=${address}`],
      answered: () => void this.told.push(`${address}: answered`),
      ended: (outcome: AttemptOutcome, detail?: string) => {
        this.told.push(`${address}: ${outcome}`);
        this.details.push(detail);
      },
    };
  }

  #client(address: string, script: TargetScript): TargetClient {
    return {
      send: (request, listener) => {
        this.sent.push(address);
        this.requests.push(request);
        let cancel: () => void = () => undefined;
        const isCancelled = new Promise<Answer>((resolve) => {
          cancel = () => resolve(failed('cancelled'));
        });
        const answer = script({ ...request, takeRetry: () => listener.takeRetry() });
        void Promise.race([Promise.resolve(answer), isCancelled]).then((outcome) => {
          if (outcome.ok) listener.answered(outcome.value);
          else listener.failed(outcome.error);
        });
        return {
          cancel: () => {
            this.cancelled += 1;
            cancel();
          },
        };
      },
      isFull: false,
      mustConnect: () => false,
      connect: () => {
        throw new Error('nothing is connected in this test');
      },
      evictQueued: () => undefined,
      figures: () => ({ activeConnections: 0, idleConnections: 0, waitingRequests: 0 }),
      close: () => Promise.resolve(),
    };
  }
}

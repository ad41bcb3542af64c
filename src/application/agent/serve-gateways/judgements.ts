import { isBodyChunk, opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import {
  type AgentAnswer,
  type AgentEvent,
  allowAnswer,
  type CancelReason,
} from '../../../domain/agent-protocol/messages.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { AgentService } from '../../ports/agent/agent-service.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';
import { failedAnswer } from './gateway-connection.js';

/** An event that is being judged, or waits for that. */
interface Judgement {
  readonly event: AgentEvent;
  /** Octets that it came in. */
  readonly size: number;
  cancelled: boolean;
}

/** Characters of a correlation id, at most: it is kept as long as its request has to be remembered. */
export const maximumIdLength = 256;
/** Requests of one connection whose bodies are awaited, at most. */
const maximumDialogues = 10_000;

/** Whether an event can be followed by a chunk of the body that its answer asks for. */
const canBeContinued = (event: AgentEvent): boolean =>
  isBodyChunk(event) ? !event.isLast : event.kind !== 'request_complete';

/** The events of one connection on their way through the service: so many at a time, the others in their order. */
export class Judgements {
  readonly #service: AgentService;
  readonly #connection: symbol;
  readonly #logger: Logger;
  readonly #onAnswer: (answer: AgentAnswer, correlationId: string) => void;
  readonly #onSettled: () => void;
  readonly #open = new TransientMap<Judgement>();
  readonly #dialogues = new TransientMap<true>();
  #waiting: Judgement[] = [];
  #waitingBytes = 0;
  #running = 0;

  /** @param onSettled called when the service has let go of an event, answered or not */
  constructor(
    service: AgentService,
    connection: symbol,
    logger: Logger,
    onAnswer: (answer: AgentAnswer, correlationId: string) => void,
    onSettled: () => void,
  ) {
    this.#service = service;
    this.#connection = connection;
    this.#logger = logger;
    this.#onAnswer = onAnswer;
    this.#onSettled = onSettled;
  }

  /** Whether no event waits for its answer, and no body for its end. */
  get isIdle(): boolean {
    return this.#open.size === 0 && this.#dialogues.size === 0;
  }

  /** Whether more events wait than a gateway that keeps to the limit would send. */
  get isFull(): boolean {
    return this.#waiting.length >= this.#limit();
  }

  /** Octets of the events that the service has not been given. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Whether an event of this id waits for its answer. */
  has(correlationId: string): boolean {
    return this.#open.has(correlationId);
  }

  /**
   * Takes an event; its answer comes through `onAnswer`. One that the agent is not subscribed to is answered allow
   * before this returns. Null, or what is wrong with an event that can have no answer; at most one of an id may be
   * open.
   */
  add(event: AgentEvent, size: number): string | null {
    const { correlationId } = event;
    if (correlationId.length > maximumIdLength) return 'a correlation id is too long';
    const earlier = this.#open.get(correlationId);
    if (earlier !== undefined) {
      const isLastWord = event.kind === 'request_complete' && earlier.event.kind !== 'request_complete';
      if (!isLastWord) return 'two events in flight for one correlation id';
      // A gateway need not cancel a call that it has given up before it says that the request is over.
      this.cancel(correlationId, 'manual');
    }
    if (this.#dialogues.size >= maximumDialogues && !this.#dialogues.has(correlationId) && canBeContinued(event)) {
      return 'too many bodies are awaited';
    }
    if (!this.#service.capabilities().supportedEvents.includes(event.kind)) {
      if (!canBeContinued(event)) this.#dialogues.delete(correlationId);
      this.#onAnswer(allowAnswer, correlationId);
      return null;
    }
    if (this.#running >= this.#limit()) {
      const judgement: Judgement = { event, size, cancelled: false };
      this.#open.set(correlationId, judgement);
      this.#wait(judgement);
      return null;
    }
    const answer = this.#ask(event);
    if (answer instanceof Promise) {
      const judgement: Judgement = { event, size, cancelled: false };
      this.#open.set(correlationId, judgement);
      this.#await(judgement, answer);
    } else {
      // What is answered at once was never open for anybody to see.
      this.#answered(event, answer);
      this.#onSettled();
    }
    return null;
  }

  /** An event in flight gets no answer; its place is free once the service lets go of it. */
  cancel(correlationId: string, reason: CancelReason): void {
    this.#dialogues.delete(correlationId);
    this.#drop(correlationId);
    this.#service.cancel(correlationId, reason, this.#connection);
  }

  /** The connection has ended. */
  close(): void {
    for (const judgement of this.#open.values()) judgement.cancelled = true;
    this.#open.clear();
    this.#dialogues.clear();
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#service.disconnected(this.#connection);
  }

  #wait(judgement: Judgement): void {
    this.#waiting.push(judgement);
    this.#waitingBytes += judgement.size;
  }

  #limit(): number {
    return Math.max(1, this.#service.capabilities().limits.maxConcurrency);
  }

  #drop(correlationId: string): void {
    const judgement = this.#open.get(correlationId);
    if (judgement === undefined) return;
    judgement.cancelled = true;
    this.#open.delete(correlationId);
    const index = this.#waiting.indexOf(judgement);
    if (index === -1) return;
    this.#waiting.splice(index, 1);
    this.#waitingBytes -= judgement.size;
  }

  #judge(judgement: Judgement): void {
    const answer = this.#ask(judgement.event);
    if (answer instanceof Promise) {
      this.#await(judgement, answer);
    } else {
      this.#tellOf(judgement, answer);
      this.#onSettled();
    }
  }

  #ask(event: AgentEvent): MaybePromise<AgentAnswer> {
    try {
      return this.#service.judge(event, this.#connection);
    } catch (error) {
      return this.#failed(error);
    }
  }

  #await(judgement: Judgement, answer: Promise<AgentAnswer>): void {
    this.#running += 1;
    const settled = answer.catch((error: unknown) => this.#failed(error));
    settled.then((late) => this.#settle(judgement, late)).catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): AgentAnswer {
    this.#logger.error('An event could not be judged', { reason: error instanceof Error ? error.name : 'unknown' });
    return failedAnswer;
  }

  #settle(judgement: Judgement, answer: AgentAnswer): void {
    this.#running -= 1;
    this.#tellOf(judgement, answer);
    this.#advance();
    this.#onSettled();
  }

  #tellOf(judgement: Judgement, answer: AgentAnswer): void {
    if (judgement.cancelled) return;
    this.#open.delete(judgement.event.correlationId);
    this.#answered(judgement.event, answer);
  }

  #answered(event: AgentEvent, answer: AgentAnswer): void {
    const { correlationId } = event;
    if (opensDialogue(answer) && canBeContinued(event)) this.#dialogues.set(correlationId, true);
    else if (this.#dialogues.size > 0) this.#dialogues.delete(correlationId);
    this.#tell(answer, correlationId);
  }

  /** One that cannot be given must not keep the others from theirs. */
  #tell(answer: AgentAnswer, correlationId: string): void {
    try {
      this.#onAnswer(answer, correlationId);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Those that wait get the places that are free. */
  #advance(): void {
    while (this.#running < this.#limit()) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#waitingBytes -= next.size;
      this.#judge(next);
    }
  }
}

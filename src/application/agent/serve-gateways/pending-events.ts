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

/** An event that is being decided, or waits for its turn. */
interface PendingEvent {
  readonly event: AgentEvent;
  /** Octets of the encoded event. */
  readonly size: number;
  cancelled: boolean;
}

/** Maximum characters of a correlation id: it is stored while its request is followed. */
export const maximumIdLength = 256;
/** Maximum requests per connection with a requested body. */
const maximumDialogues = 10_000;

/** Whether a body chunk can follow the event. */
const canBeContinued = (event: AgentEvent): boolean =>
  isBodyChunk(event) ? !event.isLast : event.kind !== 'request_complete';

/** The pending events of one connection: a limited number runs at a time, the others wait in order. */
export class PendingEvents {
  readonly #service: AgentService;
  readonly #connection: symbol;
  readonly #logger: Logger;
  readonly #onAnswer: (answer: AgentAnswer, correlationId: string) => void;
  readonly #onSettled: () => void;
  readonly #open = new TransientMap<PendingEvent>();
  readonly #dialogues = new TransientMap<true>();
  #waiting: PendingEvent[] = [];
  #waitingBytes = 0;
  #running = 0;

  /** @param onSettled called when the service has finished an event, answered or not */
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

  /** Whether no event is pending and no body is expected. */
  get isIdle(): boolean {
    return this.#open.size === 0 && this.#dialogues.size === 0;
  }

  /** Whether more events wait than a gateway within its limit would send. */
  get isFull(): boolean {
    return this.#waiting.length >= this.#limit();
  }

  /** Octets of the waiting events. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Whether an event with this id is pending. */
  has(correlationId: string): boolean {
    return this.#open.has(correlationId);
  }

  /**
   * Accepts an event; its answer arrives through `onAnswer`. Events to which the agent does not subscribe are allowed
   * synchronously. Returns null, or what is wrong with an event that cannot be answered. At most one event per id may
   * be pending.
   */
  add(event: AgentEvent, size: number): string | null {
    const { correlationId } = event;
    if (correlationId.length > maximumIdLength) return 'a correlation id is too long';
    const earlier = this.#open.get(correlationId);
    if (earlier !== undefined) {
      const isLastWord = event.kind === 'request_complete' && earlier.event.kind !== 'request_complete';
      if (!isLastWord) return 'two events in flight for one correlation id';
      // A gateway need not cancel a call that it gave up before it reports the end of the request.
      this.cancel(correlationId, 'manual');
    }
    if (this.#dialogues.size >= maximumDialogues && !this.#dialogues.has(correlationId) && canBeContinued(event)) {
      return 'too many requested bodies are pending';
    }
    if (!this.#service.capabilities().supportedEvents.includes(event.kind)) {
      if (!canBeContinued(event)) this.#dialogues.delete(correlationId);
      this.#onAnswer(allowAnswer, correlationId);
      return null;
    }
    if (this.#running >= this.#limit()) {
      const pending: PendingEvent = { event, size, cancelled: false };
      this.#open.set(correlationId, pending);
      this.#wait(pending);
      return null;
    }
    const answer = this.#ask(event);
    if (answer instanceof Promise) {
      const pending: PendingEvent = { event, size, cancelled: false };
      this.#open.set(correlationId, pending);
      this.#await(pending, answer);
    } else {
      // A synchronous answer never counts as pending.
      this.#answered(event, answer);
      this.#onSettled();
    }
    return null;
  }

  /** Drops a pending event without an answer. Its slot is free once the service finishes. */
  cancel(correlationId: string, reason: CancelReason): void {
    this.#dialogues.delete(correlationId);
    this.#drop(correlationId);
    this.#service.cancel(correlationId, reason, this.#connection);
  }

  /** Drops everything: the connection has closed. */
  close(): void {
    for (const pending of this.#open.values()) pending.cancelled = true;
    this.#open.clear();
    this.#dialogues.clear();
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#service.disconnected(this.#connection);
  }

  #wait(pending: PendingEvent): void {
    this.#waiting.push(pending);
    this.#waitingBytes += pending.size;
  }

  #limit(): number {
    return Math.max(1, this.#service.capabilities().limits.maxConcurrency);
  }

  #drop(correlationId: string): void {
    const pending = this.#open.get(correlationId);
    if (pending === undefined) return;
    pending.cancelled = true;
    this.#open.delete(correlationId);
    const index = this.#waiting.indexOf(pending);
    if (index === -1) return;
    this.#waiting.splice(index, 1);
    this.#waitingBytes -= pending.size;
  }

  #decide(pending: PendingEvent): void {
    const answer = this.#ask(pending.event);
    if (answer instanceof Promise) {
      this.#await(pending, answer);
    } else {
      this.#finish(pending, answer);
      this.#onSettled();
    }
  }

  #ask(event: AgentEvent): MaybePromise<AgentAnswer> {
    try {
      return this.#service.decide(event, this.#connection);
    } catch (error) {
      return this.#failed(error);
    }
  }

  #await(pending: PendingEvent, answer: Promise<AgentAnswer>): void {
    this.#running += 1;
    const settled = answer.catch((error: unknown) => this.#failed(error));
    settled.then((late) => this.#settle(pending, late)).catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): AgentAnswer {
    this.#logger.error('an event could not be decided', { reason: error instanceof Error ? error.name : 'unknown' });
    return failedAnswer;
  }

  #settle(pending: PendingEvent, answer: AgentAnswer): void {
    this.#running -= 1;
    this.#finish(pending, answer);
    this.#advance();
    this.#onSettled();
  }

  #finish(pending: PendingEvent, answer: AgentAnswer): void {
    if (pending.cancelled) return;
    this.#open.delete(pending.event.correlationId);
    this.#answered(pending.event, answer);
  }

  #answered(event: AgentEvent, answer: AgentAnswer): void {
    const { correlationId } = event;
    if (opensDialogue(answer) && canBeContinued(event)) this.#dialogues.set(correlationId, true);
    else if (this.#dialogues.size > 0) this.#dialogues.delete(correlationId);
    this.#deliver(answer, correlationId);
  }

  /** A failing answer must not affect the others. */
  #deliver(answer: AgentAnswer, correlationId: string): void {
    try {
      this.#onAnswer(answer, correlationId);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Starts waiting events while slots are free. */
  #advance(): void {
    while (this.#running < this.#limit()) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#waitingBytes -= next.size;
      this.#decide(next);
    }
  }
}

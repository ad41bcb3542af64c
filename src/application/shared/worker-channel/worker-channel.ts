import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { LinkMessage, WorkerLink } from '../../ports/shared/worker-link.js';
import type { WorkerCall, WorkerNotification } from './worker-call.js';

/**
 * A worker as the supervisor's services see it. A replacement with the same number is another
 * object.
 */
export interface AttendedWorker {
  /** Starts at 1. */
  readonly number: number;
  readonly pid: number;
  readonly channel: WorkerChannel;
}

/** Why a call got no reply. */
export type NoAnswer = 'closed' | 'timed_out' | 'failed' | 'too_many';

export type CallOutcome<Answer> = Result<Answer, NoAnswer>;

interface OpenQuestion {
  settle(outcome: CallOutcome<unknown>, attachment: object | null): void;
  readonly deadline: ScheduledTask;
}

/** A reply with its attachment. */
export interface WithAttachment<Answer> {
  readonly answer: Answer;
  readonly attachment: object | null;
}

type Answerer = (question: unknown) => Promise<WithAttachment<unknown>>;

/** Maximum number of pending calls. */
const maximumOpenQuestions = 100_000;

interface Reply {
  readonly isOk: boolean;
  readonly value: unknown;
}

/**
 * Calls, replies and notifications over one link. Every call settles: by its reply, its deadline,
 * or the end of the link.
 */
export class WorkerChannel {
  readonly #link: WorkerLink;
  readonly #scheduler: Scheduler;
  readonly #open = new Map<number, OpenQuestion>();
  readonly #answerers = new Map<string, Answerer>();
  readonly #readers = new Map<string, (body: unknown) => void>();
  readonly #fault: (topic: string, error: unknown) => void;
  readonly #whenClosed: (() => void)[] = [];
  #lastId = 0;

  /** `fault` receives errors that handlers throw. */
  constructor(link: WorkerLink, scheduler: Scheduler, fault: (topic: string, error: unknown) => void) {
    this.#link = link;
    this.#scheduler = scheduler;
    this.#fault = fault;
    link.onMessage((message, attachment) => this.#take(message, attachment));
    link.onClosed(() => {
      for (const question of [...this.#open.values()]) question.settle(err('closed'), null);
      for (const listener of this.#whenClosed.splice(0)) listener();
    });
  }

  /** Each listener is called once, even if the link is already closed. */
  onClosed(listener: () => void): void {
    if (this.#link.isClosed) listener();
    else this.#whenClosed.push(listener);
  }

  get isClosed(): boolean {
    return this.#link.isClosed;
  }

  /** Always resolves, at the latest at the deadline. */
  async ask<Question, Answer>(
    { name }: WorkerCall<Question, Answer>,
    question: Question,
    deadlineMs: number,
  ): Promise<CallOutcome<Answer>> {
    const answered = await this.#ask(name, question, deadlineMs);
    return answered.ok ? ok(answered.value.answer as Answer) : answered;
  }

  /** Like `ask`, for replies that may carry an attachment. */
  async askForAttachment<Question, Answer>(
    { name }: WorkerCall<Question, Answer>,
    question: Question,
    deadlineMs: number,
  ): Promise<CallOutcome<WithAttachment<Answer>>> {
    const answered = await this.#ask(name, question, deadlineMs);
    return answered as CallOutcome<WithAttachment<Answer>>;
  }

  tell<Body>({ name }: WorkerNotification<Body>, body: Body): void {
    this.#link.send({ topic: name, id: null, isAnswer: false, body }, null);
  }

  /** Sets the handler of a call. If it throws or rejects, the call ends as `failed`. */
  answer<Question, Answer>(
    { name }: WorkerCall<Question, Answer>,
    answerer: (question: Question) => Answer | Promise<Answer>,
  ): void {
    this.#answerers.set(name, async (question) => ({
      answer: await answerer(question as Question),
      attachment: null,
    }));
  }

  answerWithAttachment<Question, Answer>(
    { name }: WorkerCall<Question, Answer>,
    answerer: (question: Question) => Promise<WithAttachment<Answer>>,
  ): void {
    this.#answerers.set(name, (question) => answerer(question as Question));
  }

  /** Sets the handler of a notification. */
  hear<Body>({ name }: WorkerNotification<Body>, reader: (body: Body) => void): void {
    this.#readers.set(name, (body) => reader(body as Body));
  }

  #ask(name: string, question: unknown, deadlineMs: number): Promise<CallOutcome<WithAttachment<unknown>>> {
    if (this.#link.isClosed) return Promise.resolve(err('closed'));
    if (this.#open.size >= maximumOpenQuestions) return Promise.resolve(err('too_many'));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const settle: OpenQuestion['settle'] = (outcome, attachment) => {
        this.#open.delete(id);
        deadline.cancel();
        resolve(outcome.ok ? ok({ answer: outcome.value, attachment }) : outcome);
      };
      const deadline = this.#scheduler.after(deadlineMs, () => settle(err('timed_out'), null));
      this.#open.set(id, { settle, deadline });
      this.#link.send({ topic: name, id, isAnswer: false, body: question }, null);
    });
  }

  #take(message: LinkMessage, attachment: object | null): void {
    const { topic, id, isAnswer, body } = message;
    if (isAnswer) {
      const reply = body as Reply;
      const question = id === null ? undefined : this.#open.get(id);
      question?.settle(reply.isOk ? ok(reply.value) : err('failed'), attachment);
    } else if (id === null) {
      this.#read(topic, body);
    } else {
      void this.#reply(topic, id, body);
    }
  }

  #read(topic: string, body: unknown): void {
    try {
      this.#readers.get(topic)?.(body);
    } catch (error) {
      this.#fault(topic, error);
    }
  }

  async #reply(topic: string, id: number, question: unknown): Promise<void> {
    const send = (reply: Reply, attachment: object | null) =>
      this.#link.send({ topic, id, isAnswer: true, body: reply }, attachment);
    try {
      const answerer = this.#answerers.get(topic);
      if (answerer === undefined) {
        send({ isOk: false, value: null }, null);
        return;
      }
      const { answer, attachment } = await answerer(question);
      send({ isOk: true, value: answer }, attachment);
    } catch (error) {
      this.#fault(topic, error);
      send({ isOk: false, value: null }, null);
    }
  }
}

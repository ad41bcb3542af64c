import type { SessionStoreOptions } from '../../../domain/agent/configuration/sessions-options.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Stored } from '../../ports/agent/session-store.js';
import type { SessionStoreOpener, SessionStores } from '../../ports/agent/session-stores.js';
import type { NoAnswer, WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import {
  closeStores,
  formTopics,
  openStores,
  replayTopics,
  requestTopics,
  type StoreTopic,
  sessionTopics,
} from './store-topics.js';

/**
 * Opens stores in a worker. Memory stores live in the supervisor, shared by all workers. Each worker opens files and
 * servers itself.
 */
export class RemoteStoreOpener implements SessionStoreOpener {
  readonly #channel: Pick<WorkerChannel, 'ask'>;
  readonly #local: SessionStoreOpener;
  #lastHandle = 0;

  /** @param local for every kind but `memory` */
  constructor(channel: Pick<WorkerChannel, 'ask'>, local: SessionStoreOpener) {
    this.#channel = channel;
    this.#local = local;
  }

  async open(options: SessionStoreOptions, namespace: string): Promise<Result<SessionStores, string>> {
    if (options.kind !== 'memory') return this.#local.open(options, namespace);
    this.#lastHandle += 1;
    const handle = this.#lastHandle;
    const answered = await this.#channel.ask(openStores, { handle, namespace }, storeDeadlineMs);
    if (!answered.ok) {
      // The supervisor may still open it after the timeout.
      void this.#channel.ask(closeStores, { handle }, storeDeadlineMs);
      return err(supervisorFailure(answered.error));
    }
    return answered.value.ok ? ok(new RemoteSessionStores(this.#channel, handle)) : answered.value;
  }
}

/** Timeout for calls to the supervisor's stores, in milliseconds. */
export const storeDeadlineMs = 2_000;

const failures: Readonly<Record<NoAnswer, string>> = {
  closed: 'the supervisor, which stores the sessions, is gone',
  timed_out: 'the supervisor, which stores the sessions, did not answer in time',
  failed: 'the supervisor, which stores the sessions, could not answer',
  too_many: 'too many calls to the supervisor, which stores the sessions, are pending',
};

/** The reason for the log, one clause. */
export const supervisorFailure = (why: NoAnswer): string => failures[why];

/** The stores that the supervisor opened under a handle. A missing reply is a failure. */
export class RemoteSessionStores implements SessionStores {
  readonly #channel: Pick<WorkerChannel, 'ask'>;
  readonly #handle: number;
  #closed: Promise<void> | null = null;

  readonly sessions: SessionStores['sessions'] = {
    insert: (session) => this.#ask(sessionTopics.insert, session),
    find: (idHash) => this.#ask(sessionTopics.find, idHash),
    touch: (seen) => this.#ask(sessionTopics.touch, seen),
    takeRefreshLease: (lease) => this.#ask(sessionTopics.takeRefreshLease, lease),
    endRefresh: (ended) => this.#ask(sessionTopics.endRefresh, ended),
    remove: (idHash) => this.#ask(sessionTopics.remove, idHash),
    removeOfSubject: (subject) => this.#ask(sessionTopics.removeOfSubject, subject),
    removeOfUser: (userId) => this.#ask(sessionTopics.removeOfUser, userId),
    list: (query) => this.#ask(sessionTopics.list, query),
    findByPrefix: (hashPrefix, limit) => this.#ask(sessionTopics.findByPrefix, hashPrefix, limit),
    removeExpired: (nowMs, seenBeforeMs, limit) => this.#ask(sessionTopics.removeExpired, nowMs, seenBeforeMs, limit),
    count: () => this.#ask(sessionTopics.count),
    countByMethod: () => this.#ask(sessionTopics.countByMethod),
  };

  readonly replays: SessionStores['replays'] = {
    has: (key, nowMs) => this.#ask(replayTopics.has, key, nowMs),
    remember: (key, untilMs, nowMs) => this.#ask(replayTopics.remember, key, untilMs, nowMs),
    removeExpired: (nowMs, limit) => this.#ask(replayTopics.removeExpired, nowMs, limit),
  };

  readonly requests: SessionStores['requests'] = {
    insert: (request) => this.#ask(requestTopics.insert, request),
    find: (handleHash, nowMs) => this.#ask(requestTopics.find, handleHash, nowMs),
    take: (handleHash, nowMs) => this.#ask(requestTopics.take, handleHash, nowMs),
    removeExpired: (nowMs, limit) => this.#ask(requestTopics.removeExpired, nowMs, limit),
  };

  readonly forms: SessionStores['forms'] = {
    insert: (form) => this.#ask(formTopics.insert, form),
    find: (handleHash, nowMs) => this.#ask(formTopics.find, handleHash, nowMs),
    take: (handleHash, nowMs) => this.#ask(formTopics.take, handleHash, nowMs),
    removeExpired: (nowMs, limit) => this.#ask(formTopics.removeExpired, nowMs, limit),
  };

  constructor(channel: Pick<WorkerChannel, 'ask'>, handle: number) {
    this.#channel = channel;
    this.#handle = handle;
  }

  /** Never lost: the supervisor keeps the stores, and this process ends with the supervisor. */
  isLost(): boolean {
    return false;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#channel.ask(closeStores, { handle: this.#handle }, storeDeadlineMs);
  }

  async #ask<Values extends readonly unknown[], Value>(
    topic: StoreTopic<Values, Value>,
    ...values: Values
  ): Stored<Value> {
    if (this.#closed !== null) return err({ reason: 'the store is closed' });
    const answered = await this.#channel.ask(topic, { handle: this.#handle, values }, storeDeadlineMs);
    return answered.ok ? answered.value : err({ reason: supervisorFailure(answered.error) });
  }
}

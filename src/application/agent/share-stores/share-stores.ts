import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Stored } from '../../ports/agent/session-store.js';
import type { SessionStoreOpener, SessionStores } from '../../ports/agent/session-stores.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { AttendedWorker, WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import { EndedSessionsRelay } from './relayed-session-endings.js';
import { SharedSpentAssertions } from './remote-spent-assertions.js';
import {
  closeStores,
  formTopics,
  openStores,
  replayTopics,
  requestTopics,
  type StoreTopic,
  sessionTopics,
} from './store-topics.js';

/** How long stores stay open after their last worker has died, for its replacement; milliseconds. */
export const storeLingerMs = 120_000;
/** Maximum number of stores that one worker has open. Each is an entity id in its configuration. */
export const maximumHandles = 1_000;

interface SharedPlace {
  readonly opened: Promise<Result<SessionStores, string>>;
  holders: number;
  /** The scheduled closing, when no worker has the store open. */
  ending: ScheduledTask | null;
}

interface SharedSessionStoresPorts {
  /** Opens stores in memory. */
  readonly opener: SessionStoreOpener;
  readonly scheduler: Pick<Scheduler, 'after'>;
}

const unopened = { reason: 'the store is not open' } as const;

/**
 * In the supervisor: the memory stores that all workers share. A store closes when no worker has it open. If its last
 * worker died, it stays open for a while, so that the replacement finds its sessions.
 */
export class SharedSessionStores {
  readonly #parts: SharedSessionStoresPorts;
  /** By namespace. */
  readonly #places = new Map<string, SharedPlace>();

  constructor(parts: SharedSessionStoresPorts) {
    this.#parts = parts;
  }

  /** Starts to serve a worker. Call the result when the worker is gone: it releases the worker's stores. */
  serve(channel: Pick<WorkerChannel, 'answer'>): () => void {
    const held = new Map<number, string>();
    let isGone = false;
    channel.answer(openStores, async ({ handle, namespace }) => {
      if (isGone || held.has(handle) || held.size >= maximumHandles) return err('too many stores are open');
      held.set(handle, namespace);
      const opened = await this.#take(namespace).opened;
      if (opened.ok) return ok(undefined);
      if (held.delete(handle)) await this.#leave(namespace, 0);
      return opened;
    });
    channel.answer(closeStores, async ({ handle }) => {
      const namespace = held.get(handle);
      held.delete(handle);
      if (namespace !== undefined) await this.#leave(namespace, 0);
      return null;
    });
    this.#answerCalls(channel, held);
    return () => {
      isGone = true;
      for (const namespace of held.values()) void this.#leave(namespace, storeLingerMs);
      held.clear();
    };
  }

  /** The number of open stores. */
  get size(): number {
    return this.#places.size;
  }

  #answerCalls(channel: Pick<WorkerChannel, 'answer'>, held: ReadonlyMap<number, string>): void {
    const answer = <Values extends readonly unknown[], Value>(
      topic: StoreTopic<Values, Value>,
      act: (stores: SessionStores, ...values: Values) => Stored<Value>,
    ): void =>
      channel.answer(topic, async ({ handle, values }) => {
        const opened = await this.#places.get(held.get(handle) ?? '')?.opened;
        return opened?.ok === true ? act(opened.value, ...values) : err(unopened);
      });
    answer(sessionTopics.insert, ({ sessions }, session) => sessions.insert(session));
    answer(sessionTopics.find, ({ sessions }, idHash) => sessions.find(idHash));
    answer(sessionTopics.touch, ({ sessions }, seen) => sessions.touch(seen));
    answer(sessionTopics.takeRefreshLease, ({ sessions }, lease) => sessions.takeRefreshLease(lease));
    answer(sessionTopics.endRefresh, ({ sessions }, ended) => sessions.endRefresh(ended));
    answer(sessionTopics.remove, ({ sessions }, idHash) => sessions.remove(idHash));
    answer(sessionTopics.removeOfSubject, ({ sessions }, subject) => sessions.removeOfSubject(subject));
    answer(sessionTopics.removeOfUser, ({ sessions }, userId) => sessions.removeOfUser(userId));
    answer(sessionTopics.list, ({ sessions }, query) => sessions.list(query));
    answer(sessionTopics.findByPrefix, ({ sessions }, prefix, limit) => sessions.findByPrefix(prefix, limit));
    answer(sessionTopics.removeExpired, ({ sessions }, nowMs, seenBeforeMs, limit) =>
      sessions.removeExpired(nowMs, seenBeforeMs, limit),
    );
    answer(sessionTopics.count, ({ sessions }) => sessions.count());
    answer(sessionTopics.countByMethod, ({ sessions }) => sessions.countByMethod());
    answer(replayTopics.has, ({ replays }, key, nowMs) => replays.has(key, nowMs));
    answer(replayTopics.remember, ({ replays }, key, untilMs, nowMs) => replays.remember(key, untilMs, nowMs));
    answer(replayTopics.removeExpired, ({ replays }, nowMs, limit) => replays.removeExpired(nowMs, limit));
    answer(requestTopics.insert, ({ requests }, request) => requests.insert(request));
    answer(requestTopics.find, ({ requests }, handleHash, nowMs) => requests.find(handleHash, nowMs));
    answer(requestTopics.take, ({ requests }, handleHash, nowMs) => requests.take(handleHash, nowMs));
    answer(requestTopics.removeExpired, ({ requests }, nowMs, limit) => requests.removeExpired(nowMs, limit));
    answer(formTopics.insert, ({ forms }, form) => forms.insert(form));
    answer(formTopics.find, ({ forms }, handleHash, nowMs) => forms.find(handleHash, nowMs));
    answer(formTopics.take, ({ forms }, handleHash, nowMs) => forms.take(handleHash, nowMs));
    answer(formTopics.removeExpired, ({ forms }, nowMs, limit) => forms.removeExpired(nowMs, limit));
  }

  #take(namespace: string): SharedPlace {
    const place = this.#places.get(namespace) ?? {
      opened: this.#parts.opener.open({ kind: 'memory' }, namespace),
      holders: 0,
      ending: null,
    };
    this.#places.set(namespace, place);
    place.holders += 1;
    place.ending?.cancel();
    place.ending = null;
    return place;
  }

  async #leave(namespace: string, keptMs: number): Promise<void> {
    const place = this.#places.get(namespace);
    if (place === undefined) return;
    place.holders -= 1;
    if (place.holders > 0) return;
    if (keptMs > 0) {
      place.ending = this.#parts.scheduler.after(keptMs, () => void this.#end(namespace, place));
      return;
    }
    await this.#end(namespace, place);
  }

  async #end(namespace: string, place: SharedPlace): Promise<void> {
    this.#places.delete(namespace);
    const opened = await place.opened;
    if (opened.ok) await opened.value.close();
  }
}

export interface ShareStoresOptions {
  /** Opens stores in memory. */
  readonly opener: SessionStoreOpener;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly scheduler: Pick<Scheduler, 'after'>;
}

/** In the supervisor: the state that embedded agents share among all workers. */
export class ShareStores {
  readonly #stores: SharedSessionStores;
  readonly #relay = new EndedSessionsRelay();
  readonly #assertions: SharedSpentAssertions;
  readonly #ends = new Map<AttendedWorker, readonly (() => void)[]>();

  constructor(parts: ShareStoresOptions) {
    this.#stores = new SharedSessionStores(parts);
    this.#assertions = new SharedSpentAssertions(parts.clock);
  }

  /** Nothing to do: workers open the stores that their configuration names. */
  adopt(): void {}

  attend(worker: AttendedWorker): void {
    const { channel } = worker;
    this.#assertions.serve(channel);
    this.#ends.set(worker, [this.#stores.serve(channel), this.#relay.serve(channel)]);
  }

  left(worker: AttendedWorker): void {
    for (const end of this.#ends.get(worker) ?? []) end();
    this.#ends.delete(worker);
  }
}

import type { Result } from '../../../domain/shared/result.js';
import type { KeptFormStore } from '../../ports/agent/kept-form-store.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { SessionStore, StoreFailure } from '../../ports/agent/session-store.js';
import type { SignOnRequestStore } from '../../ports/agent/sign-on-request-store.js';
import { notice, topic, type WorkerCall } from '../../shared/worker-channel/worker-call.js';
import type { EndedSessions } from '../sessions/session-endings.js';

/**
 * Announces ended sessions from a worker to the supervisor, and from there to all other workers. The reply comes once
 * the receiver has evicted them.
 */
export const endedSessions = topic<EndedSessions, null>('sessions ended');

/** A client assertion in the memory of an agent. */
interface NamedAssertion {
  /** Name of the agent. */
  readonly agent: string | null;
  readonly clientId: string;
  readonly id: string;
}

export const takeAssertion = topic<NamedAssertion, 'first' | 'seen' | 'full'>('client-assertions take');

export const giveBackAssertion = notice<NamedAssertion>('client-assertions give-back');

/** A call to one of a worker's stores. */
export interface StoreCall<Values extends readonly unknown[]> {
  /** Chosen by the worker when it opened the stores. */
  readonly handle: number;
  readonly values: Values;
}

/** One method of a store. */
export type StoreTopic<Values extends readonly unknown[], Value> = WorkerCall<
  StoreCall<Values>,
  Result<Value, StoreFailure>
>;

type TopicOf<Method> = Method extends (
  ...values: infer Values extends readonly unknown[]
) => Promise<Result<infer Value, StoreFailure>>
  ? StoreTopic<Values, Value>
  : never;

type TopicsOf<Store> = { readonly [Name in keyof Store]: TopicOf<Store[Name]> };

/** Opens the stores of a namespace under a handle. The error is one clause. */
export const openStores = topic<{ readonly handle: number; readonly namespace: string }, Result<void, string>>(
  'saml-stores open',
);

/** Runs after all earlier calls. */
export const closeStores = topic<{ readonly handle: number }, null>('saml-stores close');

export const sessionTopics: TopicsOf<SessionStore> = {
  insert: topic('sessions insert'),
  find: topic('sessions find'),
  touch: topic('sessions touch'),
  takeRefreshLease: topic('sessions take-refresh-lease'),
  endRefresh: topic('sessions end-refresh'),
  remove: topic('sessions remove'),
  removeOfSubject: topic('sessions remove-of-subject'),
  removeOfUser: topic('sessions remove-of-user'),
  list: topic('sessions list'),
  findByPrefix: topic('sessions find-by-prefix'),
  removeExpired: topic('sessions remove-expired'),
  count: topic('sessions count'),
  countByMethod: topic('sessions count-by-method'),
};

export const replayTopics: TopicsOf<ReplayStore> = {
  has: topic('replays has'),
  remember: topic('replays remember'),
  removeExpired: topic('replays remove-expired'),
};

export const requestTopics: TopicsOf<SignOnRequestStore> = {
  insert: topic('sign-on-requests insert'),
  find: topic('sign-on-requests find'),
  take: topic('sign-on-requests take'),
  removeExpired: topic('sign-on-requests remove-expired'),
};

export const formTopics: TopicsOf<KeptFormStore> = {
  insert: topic('kept-forms insert'),
  find: topic('kept-forms find'),
  take: topic('kept-forms take'),
  removeExpired: topic('kept-forms remove-expired'),
};

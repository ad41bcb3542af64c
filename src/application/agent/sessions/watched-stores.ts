import type { Stored } from '../../ports/agent/session-store.js';
import type { SessionStores } from '../../ports/agent/session-stores.js';
import type { StoreState, StoreUse } from './store-state.js';

/** Wraps stores so that the outcome of every call is recorded. */
export const watchedStores = (opened: SessionStores, state: Pick<StoreState, 'noted'>): SessionStores => {
  const { sessions, replays, requests, forms } = opened;
  const noted = async <Value>(use: StoreUse, answer: Stored<Value>): Stored<Value> => state.noted(use, await answer);
  return {
    sessions: {
      insert: (session) => noted('keep', sessions.insert(session)),
      find: (idHash) => noted('read', sessions.find(idHash)),
      touch: (seen) => noted('keep', sessions.touch(seen)),
      takeRefreshLease: (lease) => noted('keep', sessions.takeRefreshLease(lease)),
      endRefresh: (ended) => noted('keep', sessions.endRefresh(ended)),
      remove: (idHash) => noted('remove', sessions.remove(idHash)),
      removeOfSubject: (subject) => noted('remove', sessions.removeOfSubject(subject)),
      removeOfUser: (userId) => noted('remove', sessions.removeOfUser(userId)),
      // A page token comes from a client and may be invalid: then the store is not at fault.
      list: (query) => (query.after === null ? noted('read', sessions.list(query)) : sessions.list(query)),
      findByPrefix: (hashPrefix, limit) => noted('read', sessions.findByPrefix(hashPrefix, limit)),
      removeExpired: (nowMs, seenBeforeMs, limit) =>
        noted('remove', sessions.removeExpired(nowMs, seenBeforeMs, limit)),
      count: () => noted('read', sessions.count()),
      countByMethod: () => noted('read', sessions.countByMethod()),
    },
    replays: {
      has: (key, nowMs) => noted('read', replays.has(key, nowMs)),
      remember: (key, untilMs, nowMs) => noted('keep', replays.remember(key, untilMs, nowMs)),
      removeExpired: (nowMs, limit) => noted('remove', replays.removeExpired(nowMs, limit)),
    },
    requests: {
      insert: (request) => noted('keep', requests.insert(request)),
      find: (handleHash, nowMs) => noted('read', requests.find(handleHash, nowMs)),
      take: (handleHash, nowMs) => noted('remove', requests.take(handleHash, nowMs)),
      removeExpired: (nowMs, limit) => noted('remove', requests.removeExpired(nowMs, limit)),
    },
    forms: {
      insert: (form) => noted('keep', forms.insert(form)),
      find: (handleHash, nowMs) => noted('read', forms.find(handleHash, nowMs)),
      take: (handleHash, nowMs) => noted('remove', forms.take(handleHash, nowMs)),
      removeExpired: (nowMs, limit) => noted('remove', forms.removeExpired(nowMs, limit)),
    },
    isLost: () => opened.isLost(),
    close: () => opened.close(),
  };
};

import type { SessionStores } from '../../ports/agent/session-stores.js';
import type { SessionEndings } from './session-endings.js';

/**
 * Wraps stores so that every removal and renewal of sessions is announced to the other processes of the gateway before
 * it resolves.
 * A failed removal of a subject is announced too: it may have removed something, so the others must ask the store.
 */
export const announcedStores = (opened: SessionStores, endings: Pick<SessionEndings, 'announce'>): SessionStores => {
  const { sessions, replays, requests, forms } = opened;
  return {
    sessions: {
      insert: (session) => sessions.insert(session),
      find: (idHash) => sessions.find(idHash),
      touch: (seen) => sessions.touch(seen),
      list: (query) => sessions.list(query),
      findByPrefix: (hashPrefix, limit) => sessions.findByPrefix(hashPrefix, limit),
      removeExpired: (nowMs, seenBeforeMs, limit) => sessions.removeExpired(nowMs, seenBeforeMs, limit),
      count: () => sessions.count(),
      countByMethod: () => sessions.countByMethod(),
      takeRefreshLease: (lease) => sessions.takeRefreshLease(lease),
      async endRefresh(ended) {
        const had = await sessions.endRefresh(ended);
        // After a failure the session may have been renewed.
        const mayBeRenewed = ended.details !== null && (!had.ok || had.value);
        if (mayBeRenewed) await endings.announce({ hashes: [ended.idHash], subject: null });
        return had;
      },
      async remove(idHash) {
        const removed = await sessions.remove(idHash);
        await endings.announce({ hashes: [idHash], subject: null });
        return removed;
      },
      async removeOfSubject(subject) {
        const removed = await sessions.removeOfSubject(subject);
        if (!removed.ok) await endings.announce({ hashes: [], subject });
        else if (removed.value.length > 0) await endings.announce({ hashes: removed.value, subject: null });
        return removed;
      },
      async removeOfUser(userId) {
        const removed = await sessions.removeOfUser(userId);
        if (removed.ok && removed.value.length > 0) await endings.announce({ hashes: removed.value, subject: null });
        return removed;
      },
    },
    replays,
    requests,
    forms,
    isLost: () => opened.isLost(),
    close: () => opened.close(),
  };
};

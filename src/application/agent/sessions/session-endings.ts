import type { SubjectSessions } from '../../ports/agent/session-store.js';

/** Sessions that have ended, may have ended, or have new details: caches must ask the store again. */
export interface EndedSessions {
  /** Hashes of their ids. */
  readonly hashes: readonly string[];
  /** The subject of a logout whose sessions may all have ended; null: only `hashes`. */
  readonly subject: SubjectSessions | null;
}

/** Exchanges ended sessions with the other processes of the gateway. */
export interface SessionEndings {
  /** Resolves once the others know, or after a timeout. Never rejects. */
  announce(ended: EndedSessions): Promise<void>;
  /** Calls the listener for sessions that end in other processes. */
  hear(listener: (ended: EndedSessions) => void): void;
}

/** For a gateway with a single process. */
export const noOtherProcesses: SessionEndings = {
  announce: () => Promise.resolve(),
  hear: () => undefined,
};

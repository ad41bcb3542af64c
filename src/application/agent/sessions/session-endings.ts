import type { SubjectSessions } from '../../ports/agent/session-store.js';

/** Sessions that have ended, or may have. */
export interface EndedSessions {
  /** Hashes of their ids. */
  readonly hashes: readonly string[];
  /** Every one that a sign-out of this subject may mean besides; null: none. */
  readonly subject: SubjectSessions | null;
}

/** Tells other processes of the same gateway which sessions have ended here, and hears of theirs. */
export interface SessionEndings {
  /** Resolves once they know, or were waited for long enough; never rejects. */
  announce(ended: EndedSessions): Promise<void>;
  /** Calls back for what ends elsewhere. */
  hear(listener: (ended: EndedSessions) => void): void;
}

/** Where there is one process alone. */
export const noOtherProcesses: SessionEndings = {
  announce: () => Promise.resolve(),
  hear: () => undefined,
};

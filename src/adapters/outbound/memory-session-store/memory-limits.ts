/** How much is kept, at the most. */
export interface MemoryStoreLimits {
  readonly sessions: number;
  /** Characters of all sessions together, roughly. */
  readonly sessionCharacters: number;
  readonly replays: number;
  readonly requests: number;
}

export const defaultMemoryLimits: MemoryStoreLimits = {
  sessions: 100_000,
  sessionCharacters: 128 * 1024 * 1024,
  replays: 100_000,
  requests: 10_000,
};

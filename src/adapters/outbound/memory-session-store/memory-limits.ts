/** How much is kept, at the most. */
export interface MemoryStoreLimits {
  readonly sessions: number;
  /** Characters of all sessions together, roughly. */
  readonly sessionCharacters: number;
  readonly replays: number;
  readonly requests: number;
  /** Characters of all requests together, roughly. */
  readonly requestCharacters: number;
}

export const defaultMemoryLimits: MemoryStoreLimits = {
  sessions: 100_000,
  sessionCharacters: 128 * 1024 * 1024,
  replays: 100_000,
  requests: 100_000,
  requestCharacters: 64 * 1024 * 1024,
};

import { maximumKeptForms } from '../../../domain/agent/sign-on/kept-form.js';

/** Limits of the memory store. */
export interface MemoryStoreLimits {
  readonly sessions: number;
  /** Approximate total characters of all sessions. */
  readonly sessionCharacters: number;
  readonly replays: number;
  readonly requests: number;
  /** Approximate total characters of all requests. */
  readonly requestCharacters: number;
  readonly forms: number;
  /** Approximate total characters of all kept forms. */
  readonly formCharacters: number;
}

export const defaultMemoryLimits: MemoryStoreLimits = {
  sessions: 100_000,
  sessionCharacters: 128 * 1024 * 1024,
  replays: 100_000,
  requests: 100_000,
  requestCharacters: 64 * 1024 * 1024,
  forms: maximumKeptForms,
  formCharacters: 128 * 1024 * 1024,
};

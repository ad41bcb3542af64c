import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import { err, type Result } from '../../../domain/shared/result.js';
import type { RefusedExchange } from './exchange-facts.js';

/** What one step of an exchange comes to. */
export type ExchangeStep<Value> = Result<Value, RefusedExchange>;

/** Whose token it is. */
export type Party = 'subject' | 'actor';

/** @param detail a clause of ours for the log, nothing of what was sent */
export const refusedFor = (reason: ExchangeReason, detail: string | null = null): ExchangeStep<never> =>
  err({ reason, detail, retryAfterMs: null });

import { describe, expect, it } from 'vitest';
import { MemoryRateLimitStore } from '../../../../../src/adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { ExchangeRates } from '../../../../../src/application/agent/exchange-token/exchange-rates.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const limit = { requestsPerSecond: 1, burst: 1 };
const refusedOf = (party: string) => ({ reason: 'rate_limited', detail: `of the ${party}`, retryAfterMs: 1_000 });

describe('the rates of token exchange', () => {
  it('are separate per address group and per client', () => {
    const clock = new ManualClock();
    const rates = new ExchangeRates(new MemoryRateLimitStore(clock), null);
    expect(rates.take('address', 'a', limit)).toBeNull();
    expect(rates.take('address', 'a', limit)).toEqual(refusedOf('address'));
    expect(rates.take('address', 'b', limit)).toBeNull();
    expect(rates.take('client', 'a', limit)).toBeNull();
    expect(rates.take('client', 'a', limit)).toEqual(refusedOf('client'));
    clock.advance(1_000);
    expect(rates.take('address', 'a', limit)).toBeNull();
  });

  it('are shared by one agent and continue after reconfiguration', () => {
    const store = new MemoryRateLimitStore(new ManualClock());
    expect(new ExchangeRates(store, 'one').take('client', 'desk', limit)).toBeNull();
    expect(new ExchangeRates(store, 'other').take('client', 'desk', limit)).toBeNull();
    expect(new ExchangeRates(store, null).take('client', 'desk', limit)).toBeNull();
    expect(new ExchangeRates(store, 'one').take('client', 'desk', limit)).toEqual(refusedOf('client'));
  });

  it('can come from an asynchronous store, and refuse if it is unavailable', async () => {
    const memory = new MemoryRateLimitStore(new ManualClock());
    const late = new ExchangeRates({ take: async (charges) => memory.take(charges) }, null);
    expect(await late.take('client', 'desk', limit)).toBeNull();
    expect(await late.take('client', 'desk', limit)).toEqual(refusedOf('client'));
    const away = new ExchangeRates({ take: () => ({ kind: 'unavailable', detail: 'the store is away' }) }, null);
    expect(away.take('client', 'desk', limit)).toEqual({
      reason: 'store_unavailable',
      detail: 'the store is away',
      retryAfterMs: null,
    });
  });
});

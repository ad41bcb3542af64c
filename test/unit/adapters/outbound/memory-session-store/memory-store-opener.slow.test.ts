import { describe, expect, it } from 'vitest';
import type { MemoryStoreLimits } from '../../../../../src/adapters/outbound/memory-session-store/memory-limits.js';
import { MemoryStoreOpener } from '../../../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import { noonMs, succeeded, testSignOnRequest } from '../../../../support/agent/test-sessions.js';

const opened = (limits: Partial<MemoryStoreLimits>) =>
  succeeded(new MemoryStoreOpener(limits).open({ kind: 'memory' }));

describe('stores in memory', () => {
  it('keep 100 000 requests', async () => {
    const { requests } = await opened({});
    for (let index = 0; index <= 100_000; index += 1) {
      await requests.insert({ ...testSignOnRequest('one'), handleHash: String(index) });
    }
    expect(await succeeded(requests.take('0', noonMs))).toBeNull();
    expect(await succeeded(requests.take('1', noonMs))).not.toBeNull();
  });
});

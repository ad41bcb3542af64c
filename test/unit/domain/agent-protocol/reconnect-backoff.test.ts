import { describe, expect, it } from 'vitest';
import { defaultReconnectBackoff, reconnectDelayMs } from '../../../../src/domain/agent-protocol/reconnect-backoff.js';

describe('reconnectDelayMs', () => {
  it('doubles from 100 ms to 5 s', () => {
    const longest = [0, 1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) =>
      Math.round(reconnectDelayMs(failures, 0.999_999, defaultReconnectBackoff)),
    );
    expect(longest).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  });

  it('spreads over the upper half', () => {
    expect(reconnectDelayMs(3, 0, defaultReconnectBackoff)).toBe(400);
    expect(reconnectDelayMs(3, 0.5, defaultReconnectBackoff)).toBe(600);
  });
});

import { describe, expect, it } from 'vitest';
import { withListener } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const expectRefusal = (text: string, message: string): void => {
  const [problem, ...others] = problemsOf(text);
  expect(problem).toMatch('error: ');
  expect(problem).toContain(message);
  expect(others).toEqual([]);
};

describe('the timeouts of a listener', () => {
  it('are what was written', () => {
    const text = withListener(
      'address "127.0.0.1:1"; timeouts { header-secs 1; body-secs 2; min-body-rate "1KB"; idle-secs 3600 }',
    );
    expect(soundConfiguration(text).listeners[0]?.timeouts).toEqual({
      proxyHeaderMs: 5_000,
      headMs: 1000,
      bodyMs: 2000,
      minBodyOctetsPerSecond: 1024,
      idleMs: 3_600_000,
    });
  });

  it('have a minimum rate from 0 to one gibibyte', () => {
    const text = (rate: string) => withListener(`address "127.0.0.1:1"; timeouts { min-body-rate ${rate} }`);
    expect(soundConfiguration(text('0')).listeners[0]?.timeouts.minBodyOctetsPerSecond).toBe(0);
    expect(soundConfiguration(text('"1GB"')).listeners[0]?.timeouts.minBodyOctetsPerSecond).toBe(1_073_741_824);
    expectRefusal(text('1073741825'), '"min-body-rate" must be a size from 0 to 1073741824');
    expectRefusal(text('-1'), '"min-body-rate" must be a size from 0 to 1073741824');
  });

  it.each(['header-secs', 'body-secs', 'idle-secs'])('are between a second and an hour: %s', (key) => {
    for (const value of ['0', '3601']) {
      expectRefusal(
        withListener(`address "127.0.0.1:1"; timeouts { ${key} ${value} }`),
        `"${key}" must be an integer from 1`,
      );
    }
  });
});

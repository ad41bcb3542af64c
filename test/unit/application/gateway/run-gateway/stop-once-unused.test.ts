import { describe, expect, it } from 'vitest';
import { stopOnceUnused } from '../../../../../src/application/gateway/run-gateway/stop-once-unused.js';
import type { Scheduler } from '../../../../../src/application/ports/shared/scheduler.js';
import { FakeAgentClient } from '../../../../support/gateway/fake-agent-client.js';

/** Holds one task, which the test runs. */
const oneTask = () => {
  let task: (() => void) | null = null;
  const scheduler: Scheduler = {
    after(_delayMs, next) {
      task = next;
      return {
        cancel() {
          task = null;
        },
      };
    },
    every: () => ({ cancel: () => undefined }),
  };
  return { scheduler, run: () => task?.(), isWaiting: () => task !== null };
};

describe('retired clients', () => {
  it('stop after their last request, and leave no timer', async () => {
    const client = new FakeAgentClient('auth');
    const { scheduler, isWaiting } = oneTask();
    let free = () => {};
    const unused = new Promise<void>((resolve) => {
      free = resolve;
    });
    const stopped = stopOnceUnused([client], unused, 1_000, scheduler);
    expect(client.calls).toEqual([]);
    free();
    await stopped;
    expect(client.calls).toEqual(['stop 0']);
    expect(isWaiting()).toBe(false);
  });

  it('stop after the grace period at the latest', async () => {
    const client = new FakeAgentClient('auth');
    const { scheduler, run } = oneTask();
    const stopped = stopOnceUnused([client], new Promise<void>(() => undefined), 1_000, scheduler);
    run();
    await stopped;
    expect(client.calls).toEqual(['stop 0']);
  });
});

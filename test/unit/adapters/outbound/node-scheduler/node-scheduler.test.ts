import { describe, expect, it, vi } from 'vitest';
import { NodeScheduler } from '../../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';

const withFakeTimers = (test: () => void): void => {
  vi.useFakeTimers();
  try {
    test();
  } finally {
    vi.useRealTimers();
  }
};

describe('NodeScheduler', () => {
  it('runs a task once, or again and again, until it is cancelled', () => {
    withFakeTimers(() => {
      const scheduler = new NodeScheduler();
      const ran: string[] = [];
      scheduler.after(10, () => ran.push('once'));
      scheduler.after(10, () => ran.push('never')).cancel();
      const repeated = scheduler.every(10, () => ran.push('again'));
      vi.advanceTimersByTime(25);
      repeated.cancel();
      vi.advanceTimersByTime(100);
      expect(ran).toEqual(['once', 'again', 'again']);
    });
  });

  it('does not run a task at once because its delay is too long for a timer', () => {
    withFakeTimers(() => {
      let ran = false;
      new NodeScheduler().after(2 ** 40, () => {
        ran = true;
      });
      vi.advanceTimersByTime(1_000_000);
      expect(ran).toBe(false);
    });
  });

  it('keeps no process alive', () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const scheduler = new NodeScheduler();
    const tasks = [scheduler.after(60_000, () => {}), scheduler.every(60_000, () => {})];
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBe(before);
    for (const task of tasks) task.cancel();
  });
});

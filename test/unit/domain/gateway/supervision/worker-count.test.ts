import { describe, expect, it } from 'vitest';
import { workerCount, workerCountWarning } from '../../../../../src/domain/gateway/supervision/worker-count.js';

describe('the number of workers', () => {
  it('is that of the configuration', () => {
    expect(workerCount(1, 8)).toBe(1);
    expect(workerCount(12, 8)).toBe(12);
  });

  it('is that of the cores where the configuration leaves it open', () => {
    expect(workerCount(0, 8)).toBe(8);
    expect(workerCount(0, 1)).toBe(1);
  });

  it('is one at least, whatever the system says of its cores', () => {
    expect(workerCount(0, 0)).toBe(1);
  });

  it('is warned of where a reload asks for another one', () => {
    expect(workerCountWarning(2, 4, 8)).toContain('is now 4 instead of 2');
    expect(workerCountWarning(2, 0, 8)).toContain('is now 8 instead of 2');
    expect(workerCountWarning(2, 0, 2)).toBeNull();
    expect(workerCountWarning(2, 2, 8)).toBeNull();
  });
});

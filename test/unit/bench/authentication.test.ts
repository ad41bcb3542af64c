import { describe, expect, it } from 'vitest';
import { measureChecks } from '../../../bench/checks/measure-checks.js';
import { renderRows } from '../../../bench/report.js';

describe('a measured check', () => {
  it('is counted each time it ran, in order, and waited for', async () => {
    const indexes: number[] = [];
    let underWay = 0;
    let mostAtOnce = 0;
    const check = {
      run: async (index: number) => {
        indexes.push(index);
        underWay += 1;
        mostAtOnce = Math.max(mostAtOnce, underWay);
        await Promise.resolve();
        underWay -= 1;
      },
    };
    const { perSecond, cpuUsPerCheck } = await measureChecks({ name: 'a', describes: '', check }, 5);
    expect(indexes).toEqual(indexes.map((_, index) => index));
    expect(mostAtOnce).toBe(1);
    expect(perSecond).toBeGreaterThan(0);
    expect(cpuUsPerCheck).toBeGreaterThan(0);
  });

  it('that refuses ends the measurement: a failure is no fast success', async () => {
    const check = { run: () => Promise.reject(new Error('refused')) };
    await expect(measureChecks({ name: 'a', describes: '', check }, 5)).rejects.toThrow('refused');
  });
});

describe('a table of figures', () => {
  it('has columns as wide as their widest cell', () => {
    expect(
      renderRows(
        ['check', 'us'],
        [
          ['jose', '48.0'],
          ['fast-jwt', '3.5'],
        ],
      ),
    ).toEqual(['| check    |   us |', '|----------|-----:|', '| jose     | 48.0 |', '| fast-jwt |  3.5 |']);
  });
});

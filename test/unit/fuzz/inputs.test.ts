import { describe, expect, it } from 'vitest';
import { madeRequest } from '../../../fuzz/inputs/made-request.js';
import { requestStream } from '../../../fuzz/inputs/request-stream.js';
import { chanceOf } from '../../../fuzz/inputs/seeded-random.js';
import { strictRequests } from '../../../fuzz/recorder/strict-reading.js';
import { readSettings } from '../../../fuzz/settings.js';

const indices = Array.from({ length: 300 }, (_, index) => index);

describe('inputs of the fuzz run', () => {
  it('are the same for the same seed and case, and others for others', () => {
    const made = indices.map((index) => requestStream(chanceOf(1, index)));
    expect(indices.map((index) => requestStream(chanceOf(1, index)))).toEqual(made);
    expect(new Set(made).size).toBeGreaterThan(290);
    expect(requestStream(chanceOf(2, 0))).not.toBe(made[0]);
  });

  it('are sound where nothing odd is asked for', () => {
    for (const index of indices) {
      const { messages, fault, rest } = strictRequests(madeRequest(chanceOf(3, index), 0));
      expect([messages.length, messages[0]?.isComplete, fault, rest]).toEqual([1, true, null, '']);
    }
  });
});

describe('the command line of the fuzz run', () => {
  it('says what to run, and from what', () => {
    const args = ['--seconds', '5', '--seed', '7', '--only', 'node', '--case', '3', '--findings', '/f'];
    expect(readSettings(args, 1)).toEqual({
      seconds: 5,
      seed: 7,
      only: ['node'],
      index: 3,
      file: '/f',
    });
    expect(readSettings([], 42)).toMatchObject({ seconds: 240, seed: 42, index: null });
    expect(readSettings(['--help'], 1)).toBeNull();
  });

  it.each([
    [['--seconds', '0'], '--seconds'],
    [['--seed', '-1'], '--seed'],
    [['--only', 'x'], 'part "x"'],
  ])('refuses %j', (args, told) => {
    expect(() => readSettings(args, 1)).toThrow(told);
  });
});

import { expect, it } from 'vitest';
import { Growth } from '../../../fuzz/growth.js';

it('of memory behind the cases that it takes to settle is a finding', () => {
  const growth = new Growth(10, 0);
  growth.look(10);
  const kept = Buffer.alloc(32 * 1_048_576);
  expect(growth.conclude(20).finding).toMatchObject({ what: 'the heap grows' });
  expect(kept).toHaveLength(32 * 1_048_576);
});

it('of memory before is none', () => {
  const growth = new Growth(10, 0);
  growth.look(9);
  const kept = Buffer.alloc(32 * 1_048_576);
  growth.look(10);
  expect(growth.conclude(20)).toMatchObject({
    finding: null,
    told: expect.stringMatching(/heap more behind 10 more cases$/),
  });
  expect(kept).toHaveLength(32 * 1_048_576);
});

it('is not told where there were too few cases, or too little time', () => {
  const [few, short] = [new Growth(10, 0), new Growth(10, performance.now() + 60_000)];
  few.look(9);
  short.look(1_000);
  for (const growth of [few, short]) {
    expect(growth.conclude(1_000)).toEqual({ told: 'too few cases to tell whether memory grows', finding: null });
  }
});

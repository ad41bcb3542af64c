import { describe, expect, it } from 'vitest';
import { drainedChanges } from '../../../../../src/application/gateway/upgrade/upgrade-program.js';

const target = (address: string) => ({ upstream: 'api', address });
const [a, b, name] = ['10.0.0.1:1', '10.0.0.2:1', 'api.example:1'].map(target) as [
  ReturnType<typeof target>,
  ReturnType<typeof target>,
  ReturnType<typeof target>,
];

describe('what was said of targets meanwhile', () => {
  it('is nothing where nothing was', () => {
    expect(drainedChanges([a, b], [b, a])).toEqual({ undrained: [], drained: [] });
  });

  it('is what was drained alone, so that what is said to the successor stands', () => {
    expect(drainedChanges([a], [a, b])).toEqual({ undrained: [], drained: [b] });
  });

  it('is what was undrained too, and again what is drained still: a name may have stood for both', () => {
    expect(drainedChanges([name, a, b], [b])).toEqual({ undrained: [name, a], drained: [b] });
  });

  it('tells targets of different upstreams apart', () => {
    const other = { upstream: 'other', address: a.address };
    expect(drainedChanges([a], [other])).toEqual({ undrained: [a], drained: [other] });
  });
});

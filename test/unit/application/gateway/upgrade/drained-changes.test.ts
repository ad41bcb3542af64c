import { describe, expect, it } from 'vitest';
import { drainedChanges } from '../../../../../src/application/gateway/upgrade/upgrade-program.js';

const target = (address: string) => ({ upstream: 'api', address });
const [a, b, name] = ['10.0.0.1:1', '10.0.0.2:1', 'api.example:1'].map(target) as [
  ReturnType<typeof target>,
  ReturnType<typeof target>,
  ReturnType<typeof target>,
];

describe('the changes of drained targets', () => {
  it('are empty without changes', () => {
    expect(drainedChanges([a, b], [b, a])).toEqual({ undrained: [], drained: [] });
  });

  it("contain only new drains, so that the successor's own commands stand", () => {
    expect(drainedChanges([a], [a, b])).toEqual({ undrained: [], drained: [b] });
  });

  it('contain undrains, and repeat all drains after them, because a name may cover several addresses', () => {
    expect(drainedChanges([name, a, b], [b])).toEqual({ undrained: [name, a], drained: [b] });
  });

  it('distinguish targets of different upstreams', () => {
    const other = { upstream: 'other', address: a.address };
    expect(drainedChanges([a], [other])).toEqual({ undrained: [a], drained: [other] });
  });
});

import { describe, expect, it } from 'vitest';
import { connectionsOver, connectionViolation } from '../../../../src/domain/limits/connection-limits.js';
import type { LimitViolation } from '../../../../src/domain/limits/limit-violation.js';

const limits = { maxTotalConnections: 5, maxConnectionsPerClient: 3 };
const shortage: LimitViolation = { code: 'memory_limit_reached', name: 'max-memory-bytes', limit: 1, actual: 2 };

describe('one more connection', () => {
  it('is let in up to the limit of all, and no further', () => {
    expect(connectionViolation(limits, { total: 4, ofClient: 0 }, null)).toBeNull();
    expect(connectionViolation(limits, { total: 5, ofClient: 0 }, null)).toEqual({
      code: 'connection_limit_reached',
      name: 'max-total-connections',
      limit: 5,
      actual: 6,
    });
  });

  it('is let in up to the limit of its client, and no further', () => {
    expect(connectionViolation(limits, { total: 3, ofClient: 2 }, null)).toBeNull();
    expect(connectionViolation(limits, { total: 3, ofClient: 3 }, null)).toEqual({
      code: 'connection_limit_reached',
      name: 'max-connections-per-client',
      limit: 3,
      actual: 4,
    });
  });

  it('of a peer that is not counted by its address has the limit of all alone', () => {
    expect(connectionViolation(limits, { total: 4, ofClient: null }, null)).toBeNull();
    expect(connectionViolation(limits, { total: 5, ofClient: null }, null)?.name).toBe('max-total-connections');
  });

  it('is told of its own limit before that of all', () => {
    expect(connectionViolation(limits, { total: 5, ofClient: 3 }, null)?.name).toBe('max-connections-per-client');
  });

  it('is kept out while memory is short, whatever else is there', () => {
    expect(connectionViolation(limits, { total: 0, ofClient: 0 }, shortage)).toBe(shortage);
  });
});

it('a bound of one connection takes one', () => {
  expect(connectionsOver('some', 1, 0)).toBeNull();
  expect(connectionsOver('some', 1, 1)).toMatchObject({ name: 'some', limit: 1, actual: 2 });
});

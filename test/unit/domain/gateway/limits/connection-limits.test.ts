import { expect, it } from 'vitest';
import { connectionsOver, reachedConnectionLimit } from '../../../../../src/domain/gateway/limits/connection-limits.js';

it('a limit of one connection allows one', () => {
  expect(connectionsOver('some', 1, 0)).toBeNull();
  expect(connectionsOver('some', 1, 1)).toMatchObject({ name: 'some', limit: 1, actual: 2 });
});

it('a reached limit names the count including the new one', () => {
  const named = { code: 'connection_limit_reached', name: 'max-total-connections', limit: 5 };
  expect(reachedConnectionLimit('max-total-connections', 5, 7)).toEqual({ ...named, actual: 8 });
  expect(reachedConnectionLimit('max-total-connections', 5, 3)).toEqual({ ...named, actual: 6 });
});

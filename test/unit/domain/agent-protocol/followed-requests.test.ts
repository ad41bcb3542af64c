import { expect, it } from 'vitest';
import { FollowedRequests } from '../../../../src/domain/agent-protocol/followed-requests.js';

it('requests are tracked until they end, up to the maximum', () => {
  const followed = new FollowedRequests(2);
  for (const id of ['a', 'b', 'b', 'c']) followed.add(id);
  expect(followed.size).toBe(2);
  expect(followed.delete('a')).toBe(false);
  expect([followed.delete('b'), followed.delete('b'), followed.delete('c')]).toEqual([true, false, true]);
  expect(followed.size).toBe(0);
});

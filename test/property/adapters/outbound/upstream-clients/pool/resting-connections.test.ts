import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RestingConnections } from '../../../../../../src/adapters/outbound/upstream-clients/pool/resting-connections.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('add' as const, 'take' as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('lose' as const), count: fc.nat(9) }),
  fc.record({ kind: fc.constant('pass' as const), count: fc.integer({ min: 1, max: 1_200 }) }),
);

it('whatever comes, each connection is used, lost or closed once, the allowance is kept to, and rest leaves no more than may be kept', () => {
  let closings = 0;
  fc.assert(
    fc.property(fc.nat(5), fc.nat(5), fc.array(step, { maxLength: 60 }), (maxIdle, allowance, steps) => {
      vi.clearAllTimers();
      let taken = 0;
      const idle = {
        isNone: allowance === 0,
        take: () => {
          if (taken === allowance) return false;
          taken += 1;
          return true;
        },
        giveBack: () => {
          taken -= 1;
        },
      };
      const there: number[] = [];
      let made = 0;
      const gone = (connection: number): void => {
        expect(there).toContain(connection);
        there.splice(there.indexOf(connection), 1);
      };
      const connections = new RestingConnections<number>({ maxIdle, idle }, (connection) => {
        closings += 1;
        // The one that has rested longest.
        expect(connection).toBe(there[0]);
        gone(connection);
      });
      for (const { kind, count } of steps) {
        if (kind === 'pass') vi.advanceTimersByTime(count);
        else if (kind === 'lose') {
          const lost = there[count];
          if (lost === undefined) continue;
          expect(connections.remove(lost)).toBe(true);
          gone(lost);
        } else {
          for (let done = 0; done < count; done += 1) {
            if (kind === 'add') {
              there.push(made);
              connections.add(made);
              made += 1;
            } else {
              const last = there.at(-1);
              expect(connections.take()).toBe(last);
              if (last !== undefined) gone(last);
            }
          }
        }
        expect([...connections.values()]).toEqual(there);
        // All that may be kept, and nothing else, is taken of the allowance.
        expect(taken).toBeLessThanOrEqual(Math.min(there.length, maxIdle));
        expect(taken).toBe(Math.min(there.length, maxIdle, allowance));
      }
      vi.advanceTimersByTime(1_000);
      expect(there.length).toBeLessThanOrEqual(Math.min(maxIdle, allowance));
      expect(vi.getTimerCount()).toBe(0);
      expect(connections.takeAll()).toEqual(there);
      expect(taken).toBe(0);
    }),
    { numRuns: 1_000 },
  );
  expect(closings).toBeGreaterThan(1_000);
});

import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IdleConnectionPool } from '../../../../../../src/adapters/outbound/upstream-clients/pool/idle-connection-pool.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Connection {
  idleIndex: number;
}

const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('add' as const, 'take' as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('lose' as const), count: fc.nat(9) }),
  fc.record({ kind: fc.constant('pass' as const), count: fc.integer({ min: 1, max: 2_400 }) }),
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
      const there: Connection[] = [];
      const gone = (connection: Connection): void => {
        expect(there).toContain(connection);
        there.splice(there.indexOf(connection), 1);
      };
      const connections = new IdleConnectionPool<Connection>({ maxIdle, idle }, (connection) => {
        closings += 1;
        // The one that has rested longest.
        expect(connection === there[0]).toBe(true);
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
              const made = { idleIndex: -1 };
              there.push(made);
              connections.add(made);
            } else {
              const last = there.at(-1);
              expect(connections.take()).toBe(last);
              if (last !== undefined) gone(last);
            }
          }
        }
        expect(connections.count).toBe(there.length);
        expect(connections.values().every((connection, place) => connection === there[place])).toBe(true);
        expect(taken).toBeLessThanOrEqual(Math.min(there.length, maxIdle));
      }
      vi.advanceTimersByTime(2_000);
      expect(there.length).toBeLessThanOrEqual(Math.min(maxIdle, allowance));
      // All that are left have their part of the allowance, and nothing else is taken of it.
      expect(taken).toBe(there.length);
      expect(vi.getTimerCount()).toBe(0);
      expect(connections.takeAll()).toEqual(there);
      expect(taken).toBe(0);
    }),
    { numRuns: 1_000 },
  );
  expect(closings).toBeGreaterThan(1_000);
});

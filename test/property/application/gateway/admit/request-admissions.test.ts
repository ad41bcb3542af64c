import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RequestAdmissions } from '../../../../../src/application/gateway/admit/request-admissions.js';
import type { RequestSlot } from '../../../../../src/application/gateway/admit/request-slots.js';
import { LocalPermitBook } from '../../../../../src/application/gateway/workers/share-permits/local-permits.js';
import type { LimitsConfiguration } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { LimitViolation } from '../../../../../src/domain/gateway/limits/limit-violation.js';
import { plainLimits } from '../../../../support/gateway/plain-configurations.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';

const shortage: LimitViolation = { code: 'memory_limit_reached', name: 'max-memory-bytes', limit: 1, actual: 2 };

type Step =
  | { readonly do: 'come'; readonly client: string; readonly isCounted: boolean; readonly route: string }
  | { readonly do: 'end'; readonly which: number }
  | { readonly do: 'leave'; readonly which: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'limit'; readonly limits: Partial<LimitsConfiguration> }
  | { readonly do: 'memory'; readonly isShort: boolean };

const limits = fc.record({
  maxInFlightRequests: fc.integer({ min: 1, max: 5 }),
  maxInFlightRequestsPerWorker: fc.integer({ min: 1, max: 5 }),
  maxQueuedRequests: fc.integer({ min: 0, max: 5 }),
  maxConnectionsPerRoute: fc.integer({ min: 1, max: 5 }),
  maxConnectionsPerClient: fc.integer({ min: 1, max: 5 }),
});

const come = fc.record({
  do: fc.constant('come' as const),
  client: fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3'),
  isCounted: fc.boolean(),
  route: fc.constantFrom('one', 'two'),
});

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: come },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), which: fc.nat({ max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('leave' as const), which: fc.nat({ max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat({ max: 600 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), limits }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('memory' as const), isShort: fc.boolean() }) },
);

interface Request {
  readonly client: string;
  readonly isCounted: boolean;
  readonly route: string;
  readonly slot: RequestSlot;
}

const nth = <Item>(items: ReadonlySet<Item>, which: number): Item | undefined =>
  [...items][which % Math.max(1, items.size)];

it('counts requests in flight and queued ones through any history, and nothing after all have ended', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(steps, { maxLength: 60 }), async (first, run) => {
      const scheduler = new ManualScheduler(new ManualClock());
      const admissions = new RequestAdmissions(scheduler, new LocalPermitBook());
      const flying = new Set<Request>();
      const waiting = new Map<Request, () => void>();
      let inForce: LimitsConfiguration = { ...plainLimits, ...first };
      let isShort = false;
      admissions.limit(inForce);
      const inFlightLimit = () => Math.min(inForce.maxInFlightRequests, inForce.maxInFlightRequestsPerWorker);

      const arrive = ({ client, isCounted, route }: Step & { do: 'come' }): void => {
        const before = { flying: flying.size, waiting: waiting.size };
        const underWay = [...flying, ...waiting.keys()];
        const admission = admissions.admit(admissions.route(route), isCounted ? client : null);
        if (admission.kind === 'asked') throw new Error('there is nobody to ask');
        if (admission.kind === 'refused') {
          const { violation } = admission;
          if (violation.name === 'max-connections-per-client') {
            const own = underWay.filter((other) => other.isCounted && other.client === client).length;
            expect(isCounted && own >= inForce.maxConnectionsPerClient).toBe(true);
          } else if (violation.name === 'max-connections-per-route') {
            const own = underWay.filter((other) => other.route === route).length;
            expect(own).toBeGreaterThanOrEqual(inForce.maxConnectionsPerRoute);
          } else {
            expect(violation).toBe(shortage);
            expect(isShort && before.flying >= inFlightLimit()).toBe(true);
          }
          return;
        }
        const slot = admission.kind === 'slot' ? admission : admission.slot;
        const request: Request = { client, isCounted, route, slot };
        if (admission.kind === 'slot') {
          // No request is overtaken.
          expect(before.flying < inFlightLimit() && before.waiting === 0).toBe(true);
          flying.add(request);
          return;
        }
        expect(before.flying).toBeGreaterThanOrEqual(inFlightLimit());
        let isOver = false;
        const leave = admissions.wait(slot, client, 500, (violation) => {
          expect(isOver).toBe(false);
          isOver = true;
          waiting.delete(request);
          if (violation === null) flying.add(request);
        });
        expect(leave === null).toBe(isOver);
        if (leave !== null) {
          waiting.set(request, () => {
            isOver = true;
            leave();
          });
        }
      };

      const end = (request: Request | undefined): void => {
        if (request === undefined) return;
        flying.delete(request);
        request.slot.release();
      };
      const go = (request: Request | undefined): void => {
        if (request === undefined) return;
        waiting.get(request)?.();
        waiting.delete(request);
      };

      for (const step of run) {
        const mostQueued = Math.max(waiting.size, inForce.maxQueuedRequests);
        if (step.do === 'come') arrive(step);
        else if (step.do === 'end') end(nth(flying, step.which));
        else if (step.do === 'leave') go(nth(new Set(waiting.keys()), step.which));
        else if (step.do === 'pass') await scheduler.advance(step.ms);
        else if (step.do === 'limit') {
          inForce = { ...plainLimits, ...step.limits };
          admissions.limit(inForce);
        } else {
          isShort = step.isShort;
          admissions.setMemoryShortage(isShort ? shortage : null);
          if (isShort) expect(waiting.size).toBe(0);
        }
        expect([admissions.inFlight, admissions.queued]).toEqual([flying.size, waiting.size]);
        expect(waiting.size).toBeLessThanOrEqual(mostQueued);
        // A request queues only without room, and at most until its timeout.
        if (waiting.size > 0) expect(flying.size).toBeGreaterThanOrEqual(inFlightLimit());
        expect(scheduler.waiting).toBe(waiting.size);
        const counted = [...flying, ...waiting.keys()].filter(({ isCounted }) => isCounted);
        expect(admissions.countedClients).toBe(new Set(counted.map(({ client }) => client)).size);
      }
      for (const request of [...waiting.keys()]) go(request);
      for (const request of [...flying]) end(request);
      expect([admissions.inFlight, admissions.queued, admissions.countedClients]).toEqual([0, 0, 0]);
      expect([admissions.route('one').taken, admissions.route('two').taken]).toEqual([0, 0]);
    }),
    { numRuns: 200 },
  );
});

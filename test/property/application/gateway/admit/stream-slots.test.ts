import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RequestAdmissions } from '../../../../../src/application/gateway/admit/request-admissions.js';
import type { RequestSlot } from '../../../../../src/application/gateway/admit/request-slots.js';
import { type StreamSlot, streamAgeMs } from '../../../../../src/application/gateway/admit/stream-slots.js';
import type { LimitsConfiguration } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { PermitWorkers } from '../../../../support/gateway/permit-workers.js';
import { plainLimits } from '../../../../support/gateway/plain-configurations.js';

type Step =
  | { readonly do: 'start'; readonly worker: number; readonly client: string | null; readonly route: string }
  | { readonly do: 'follow'; readonly worker: number; readonly which: number; readonly isOld: boolean }
  | { readonly do: 'end'; readonly worker: number; readonly which: number }
  | { readonly do: 'deliver'; readonly worker: number; readonly toWorker: boolean }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'die'; readonly worker: number }
  | { readonly do: 'reload'; readonly limits: Partial<LimitsConfiguration> };

const worker = fc.nat({ max: 2 });
const which = fc.nat({ max: 9 });
const limits = fc.record({
  maxInFlightRequests: fc.integer({ min: 1, max: 8 }),
  maxTotalConnections: fc.integer({ min: 1, max: 6 }),
  maxConnectionsPerRoute: fc.integer({ min: 1, max: 12 }),
  maxConnectionsPerClient: fc.integer({ min: 1, max: 12 }),
});

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('start' as const),
      worker,
      client: fc.constantFrom(null, '192.0.2.1', '192.0.2.2'),
      route: fc.constantFrom('one', 'two'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('follow' as const), worker, which, isOld: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('end' as const), worker, which }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('deliver' as const), worker, toWorker: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(20, 260, streamAgeMs) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('die' as const), worker }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reload' as const), limits }) },
);

interface OpenRequest {
  slot: RequestSlot | StreamSlot;
  readonly route: string;
  readonly client: string | null;
}

/** One worker, with the requests that it has admitted. */
interface Worker {
  readonly admissions: RequestAdmissions;
  readonly open: Set<OpenRequest>;
}

it('streams and requests give back what they took, once, through any history of several workers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      limits,
      fc.array(steps, { maxLength: 80, size: 'max' }),
      async (count, first, run) => {
        let inForce: LimitsConfiguration = { ...plainLimits, ...first };
        /** The highest limit so far: a reload lets streams above the new one stay. */
        let mostStreams = inForce.maxTotalConnections;
        const group = new PermitWorkers(count, inForce);
        const started = (index: number): Worker => {
          const { book } = group.workers[index] as (typeof group.workers)[0];
          const admissions = new RequestAdmissions(group.scheduler, book);
          admissions.limit(inForce);
          return { admissions, open: new Set() };
        };
        const workers = group.workers.map((_, index) => started(index));
        const of = (index: number): Worker => workers[index % count] as Worker;

        const start = async (at: Worker, client: string | null, route: string): Promise<void> => {
          const first = at.admissions.admit(at.admissions.route(route), client);
          const admission = first.kind === 'asked' ? await first.settled : first;
          if (admission.kind === 'slot') at.open.add({ slot: admission, route, client });
          else if (admission.kind === 'full') {
            const { slot } = admission;
            at.admissions.wait(slot, '192.0.2.1', 200, (violation) => {
              if (violation === null) at.open.add({ slot: slot, route, client });
            });
          }
        };
        const nth = ({ open }: Worker, which: number): OpenRequest | undefined =>
          [...open][which % Math.max(1, open.size)];
        const end = (at: Worker, request: OpenRequest | undefined): void => {
          if (request === undefined) return;
          at.open.delete(request);
          request.slot.release();
        };

        for (const step of run) {
          if (step.do === 'start') void start(of(step.worker), step.client, step.route);
          else if (step.do === 'follow') {
            const at = of(step.worker);
            const request = nth(at, step.which);
            if (request?.slot.kind === 'slot') {
              request.slot = at.admissions.streams.track(request.slot, step.isOld ? 0 : streamAgeMs);
            }
          } else if (step.do === 'end') end(of(step.worker), nth(of(step.worker), step.which));
          else if (step.do === 'deliver') {
            const { here, there } = group.workers[step.worker % count] as (typeof group.workers)[0];
            (step.toWorker ? here : there).deliver();
          } else if (step.do === 'pass') await group.pass(step.ms);
          else if (step.do === 'die') {
            const index = step.worker % count;
            group.workers[index]?.die();
            group.start(index, count);
            workers[index] = started(index);
          } else {
            inForce = { ...plainLimits, ...step.limits };
            mostStreams = Math.max(mostStreams, inForce.maxTotalConnections);
            for (const { admissions } of workers) {
              admissions.limit(inForce);
              admissions.keepRoutes(new Set(['one', 'two']));
            }
          }
          await null;
          for (const { admissions, open } of workers) {
            const streams = admissions.streams.taken;
            // Every open request is in flight or a stream, and none is both.
            expect(admissions.inFlight).toBeGreaterThanOrEqual(open.size - streams);
            for (const route of ['one', 'two']) {
              const ofRoute = [...open].filter((request) => request.route === route).length;
              expect(admissions.route(route).taken).toBeGreaterThanOrEqual(ofRoute);
            }
          }
          const streams = workers.reduce((sum, { admissions }) => sum + admissions.streams.taken, 0);
          expect(streams).toBeLessThanOrEqual(mostStreams);
        }

        await group.quiet();
        await group.pass(300);
        await group.quiet();
        for (const { admissions, open } of workers) {
          expect(admissions.queued).toBe(0);
          expect(admissions.inFlight + admissions.streams.taken).toBe(open.size);
          const clients = [...open].flatMap(({ client }) => (client === null ? [] : [client]));
          expect(admissions.countedClients).toBe(new Set(clients).size);
        }
        for (const at of workers) for (const request of [...at.open]) end(at, request);
        await group.quiet();
        for (const { admissions } of workers) {
          const { inFlight, queued, countedClients, streams } = admissions;
          expect([inFlight, queued, countedClients, streams.taken]).toEqual([0, 0, 0, 0]);
          expect([admissions.route('one').taken, admissions.route('two').taken]).toEqual([0, 0]);
        }
        // The timers of a dead worker stay, because all workers of the test share one scheduler.
        if (!run.some((step) => step.do === 'die')) expect(group.scheduler.waiting).toBe(0);
        // No permit is lost: one worker can have all streams again.
        const most = Math.min(inForce.maxTotalConnections, inForce.maxInFlightRequests, inForce.maxConnectionsPerRoute);
        const last = of(0);
        for (let index = 0; index < most; index += 1) {
          const begun = start(last, null, 'one');
          await group.quiet();
          await begun;
        }
        for (const request of last.open) {
          if (request.slot.kind === 'slot') request.slot = last.admissions.streams.track(request.slot, 0);
          await group.quiet();
        }
        expect([last.open.size, last.admissions.inFlight, last.admissions.streams.taken]).toEqual([most, 0, most]);
      },
    ),
    { numRuns: 100 },
  );
});

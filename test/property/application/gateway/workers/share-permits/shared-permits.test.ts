import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Permits } from '../../../../../../src/application/ports/gateway/permits.js';
import { PermitWorkers, turns } from '../../../../../support/gateway/permit-workers.js';

type Step =
  | { readonly do: 'take'; readonly worker: number }
  | { readonly do: 'giveBack'; readonly worker: number }
  | { readonly do: 'deliver'; readonly worker: number; readonly toWorker: boolean }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'die'; readonly worker: number }
  | { readonly do: 'limit'; readonly limit: number };

const worker = fc.nat({ max: 3 });
const take = fc.record({ do: fc.constant('take' as const), worker });
const giveBack = fc.record({ do: fc.constant('giveBack' as const), worker });
const deliver = fc.record({ do: fc.constant('deliver' as const), worker, toWorker: fc.boolean() });
const pass = fc.record({ do: fc.constant('pass' as const), ms: fc.nat({ max: 120 }) });
const die = fc.record({ do: fc.constant('die' as const), worker });
const mostAtATime = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 20, max: 40 }));
const limit = fc.record({ do: fc.constant('limit' as const), limit: mostAtATime });

const delayed: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: take },
  { weight: 4, arbitrary: giveBack },
  { weight: 8, arbitrary: deliver },
  { weight: 1, arbitrary: pass },
  { weight: 1, arbitrary: die },
);

const prompt: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: take },
  { weight: 4, arbitrary: giveBack },
  { weight: 1, arbitrary: die },
  { weight: 1, arbitrary: limit },
);

/** The model beside the code under test. */
class Model {
  readonly workers: PermitWorkers;
  readonly permits: Permits[];
  readonly used: number[];
  /** The outcomes of asks, in order. */
  readonly answers: boolean[] = [];

  constructor(
    readonly count: number,
    limit: number,
  ) {
    this.workers = new PermitWorkers(count, { maxTotalConnections: limit });
    this.permits = this.workers.workers.map((one) => one.connections());
    this.used = this.permits.map(() => 0);
  }

  get total(): number {
    return this.used.reduce((sum, used) => sum + used, 0);
  }

  take(index: number): void {
    const permits = this.permits[index] as Permits;
    const outcome = permits.take();
    if (outcome === 'taken') this.used[index] = (this.used[index] as number) + 1;
    if (outcome !== 'unknown') {
      this.answers.push(outcome === 'taken');
      return;
    }
    void permits.ask().then((isTaken) => {
      // The worker may have died since, and its permits are free.
      if (this.permits[index] !== permits) return;
      if (isTaken) this.used[index] = (this.used[index] as number) + 1;
      this.answers.push(isTaken);
    });
  }

  giveBack(index: number): void {
    if ((this.used[index] as number) === 0) return;
    this.used[index] = (this.used[index] as number) - 1;
    this.permits[index]?.giveBack();
  }

  die(index: number): void {
    this.workers.workers[index]?.die();
    this.used[index] = 0;
    this.permits[index] = this.workers.start(index, this.count).connections();
  }
}

const isOf = (model: Model, index: number): number => index % model.count;

it('permits in use never exceed the limit, for any delay of messages and any deaths', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      mostAtATime,
      fc.array(delayed, { maxLength: 150, size: 'max' }),
      async (count, most, steps) => {
        const model = new Model(count, most);
        for (const step of steps) {
          if (step.do === 'take') model.take(isOf(model, step.worker));
          else if (step.do === 'giveBack') model.giveBack(isOf(model, step.worker));
          else if (step.do === 'die') model.die(isOf(model, step.worker));
          else if (step.do === 'pass') await model.workers.pass(step.ms);
          else if (step.do === 'deliver') {
            const { here, there } = model.workers.workers[
              isOf(model, step.worker)
            ] as (typeof model.workers.workers)[0];
            (step.toWorker ? here : there).deliver();
          }
          await turns();
          expect(model.total).toBeLessThanOrEqual(most);
        }
        await model.workers.quiet();
        await model.workers.pass(300);
        await model.workers.quiet();
        expect(model.total).toBeLessThanOrEqual(most);
        for (const index of model.used.keys()) while ((model.used[index] as number) > 0) model.giveBack(index);
        await model.workers.quiet();
        expect(model.workers.desk.contendedKeys).toBe(0);
        expect(model.workers.scheduler.waiting).toBe(0);
        // No permit is lost: a single worker can take all of them again.
        for (let times = 0; times < most; times += 1) {
          model.take(0);
          await model.workers.quiet();
        }
        expect(model.used[0]).toBe(most);
      },
    ),
    { numRuns: 100 },
  );
});

it('with immediate messages, workers admit exactly as one process would, over deaths and changed limits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      mostAtATime,
      fc.array(prompt, { maxLength: 120, size: 'max' }),
      async (count, first, steps) => {
        const model = new Model(count, first);
        let most = first;
        await model.workers.quiet();
        for (const step of steps) {
          const before = model.total;
          if (step.do === 'take') {
            model.take(isOf(model, step.worker));
            await model.workers.quiet();
            expect(model.answers.pop()).toBe(before < most);
          } else if (step.do === 'giveBack') model.giveBack(isOf(model, step.worker));
          else if (step.do === 'die') model.die(isOf(model, step.worker));
          else if (step.do === 'limit') {
            most = step.limit;
            model.workers.limit({ maxTotalConnections: most });
          }
          await model.workers.quiet();
        }
        for (const index of model.used.keys()) while ((model.used[index] as number) > 0) model.giveBack(index);
        await model.workers.quiet();
        expect(model.workers.desk.contendedKeys).toBe(0);
      },
    ),
    { numRuns: 100 },
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChosenTarget } from '../../../../../src/application/gateway/choose-upstream/chosen-target.js';
import type { UpstreamTargets } from '../../../../../src/application/gateway/choose-upstream/upstream-targets.js';
import type { Balancing } from '../../../../../src/domain/gateway/configuration/upstream-options.js';
import { initialHealth } from '../../../../../src/domain/gateway/health/target-health.js';
import { anybody, TargetsWorld, upstreamOf } from '../../../../support/gateway/upstream-targets.js';

const rules = { failureThreshold: 2, openMs: 100, probes: 2 };

/** A simple model of a target, from its history. */
interface NaiveTarget {
  readonly address: string;
  readonly weight: number;
  drained: boolean;
  unhealthy: boolean;
  /** Null: it is not ejected. */
  ejectedUntilMs: number | null;
  /** Counts the changes between ejected and not ejected. */
  epoch: number;
  failures: number;
  /** The times of probes since the last ejection. */
  probes: number[];
}

interface UnderWay {
  readonly target: ChosenTarget;
  readonly naive: NaiveTarget;
  readonly epoch: number;
  readonly wasProbe: boolean;
}

const settle = (naive: NaiveTarget, epoch: number): void => {
  naive.epoch = epoch;
  naive.failures = 0;
  naive.probes = [];
};

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('choose' as const), tried: fc.constantFrom(0, 0, 0, 1, 2, 5) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which: fc.nat(),
      outcome: fc.constantFrom<'success' | 'failure' | 'neither'>(
        'success',
        'failure',
        'failure',
        'failure',
        'neither',
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 40, 60, 100) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drain' as const), which: fc.nat(), drained: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('check' as const),
      which: fc.nat(),
      isWell: fc.constantFrom(true, true, false),
    }),
  },
);

const balancing = fc.constantFrom<Balancing>(
  { kind: 'round_robin' },
  { kind: 'least_connections' },
  { kind: 'power_of_two' },
  { kind: 'consistent_hash', key: { kind: 'client_ip' } },
);

const healthCheck = {
  probe: { kind: 'tcp' as const },
  intervalMs: 1e9,
  timeoutMs: 1,
  healthyThreshold: 1,
  unhealthyThreshold: 1,
};

class Model {
  readonly world: TargetsWorld;
  readonly targets: UpstreamTargets;
  readonly naive: NaiveTarget[];
  readonly underWay: UnderWay[] = [];
  nowMs = 0;

  constructor(weights: readonly number[], kind: Balancing, fractions: readonly number[]) {
    let drawn = 0;
    this.world = new TargetsWorld(() => {
      drawn += 1;
      return fractions[drawn % fractions.length] as number;
    });
    const texts = weights.map((weight, index) => `10.0.0.${index + 1}:80 ${weight}`);
    this.targets = this.world.open(upstreamOf(texts, { balancing: kind, targetBreaker: rules, healthCheck }));
    this.naive = weights.map((weight, index) => ({
      address: `10.0.0.${index + 1}:80`,
      weight,
      drained: false,
      unhealthy: false,
      ejectedUntilMs: null,
      epoch: 0,
      failures: 0,
      probes: [],
    }));
  }

  ledger(naive: NaiveTarget) {
    return this.world.ledgerOf(naive.address);
  }

  /** Probes since the last ejection without an outcome. */
  probesOut(of: NaiveTarget): number {
    return this.underWay.filter(({ naive, epoch, wasProbe }) => naive === of && wasProbe && epoch === of.epoch).length;
  }

  /** Whether its ejection permits a request. */
  isLetThrough(naive: NaiveTarget): boolean {
    if (naive.ejectedUntilMs === null) return true;
    if (this.nowMs < naive.ejectedUntilMs) return false;
    const last = naive.probes.at(-1);
    return this.probesOut(naive) < rules.probes || (last !== undefined && this.nowMs - last >= rules.openMs);
  }

  choose(mask: number): void {
    const tried = this.naive.filter((_, index) => (mask & (1 << index)) !== 0).map(({ address }) => address);
    const choice = this.targets.choose({ ...anybody, clientIp: `192.0.2.${mask}`, tried });
    const able = this.naive.filter(
      (naive) =>
        naive.weight > 0 &&
        !naive.drained &&
        !naive.unhealthy &&
        !tried.includes(naive.address) &&
        this.isLetThrough(naive),
    );
    if (choice.kind !== 'chosen') {
      expect(able).toEqual([]);
      expect(choice.kind).toBe(tried.length > 0 ? 'exhausted' : 'unhealthy');
      return;
    }
    const naive = able.find(({ address }) => address === choice.address);
    expect(naive, `${choice.address} must not be chosen`).toBeDefined();
    if (naive === undefined) return;
    const wasProbe = naive.ejectedUntilMs !== null;
    if (wasProbe) naive.probes.push(this.nowMs);
    this.underWay.push({ target: choice, naive, epoch: naive.epoch, wasProbe });
    // At most the probes at a time, plus one in each period in which no probe ended.
    const [firstMs = this.nowMs] = naive.probes;
    const late = Math.floor((this.nowMs - firstMs) / rules.openMs);
    expect(this.probesOut(naive)).toBeLessThanOrEqual(rules.probes + late);
  }

  end(which: number, outcome: 'success' | 'failure' | 'neither'): void {
    const [over] = this.underWay.splice(which % Math.max(1, this.underWay.length), 1);
    if (over === undefined) return;
    over.target.ended(outcome, 'failed');
    const { naive, epoch } = over;
    if (epoch !== naive.epoch || outcome === 'neither') return;
    if (outcome === 'success') {
      naive.failures = 0;
      if (naive.ejectedUntilMs === null) return;
      naive.ejectedUntilMs = null;
      settle(naive, naive.epoch + 1);
      return;
    }
    naive.failures += 1;
    if (naive.ejectedUntilMs === null && naive.failures < rules.failureThreshold) return;
    naive.ejectedUntilMs = this.nowMs + rules.openMs;
    settle(naive, naive.epoch + 1);
  }

  check(which: number, isWell: boolean): void {
    const naive = this.naive[which % this.naive.length] as NaiveTarget;
    const next = isWell ? initialHealth : { ...initialHealth, healthy: false, lastError: 'down', sinceMs: 1 };
    this.ledger(naive).noteHealth(next);
    if (isWell && naive.unhealthy) {
      naive.ejectedUntilMs = null;
      settle(naive, naive.epoch + 1);
    }
    naive.unhealthy = !isWell;
  }
}

it('chooses no target that is drained, unhealthy, ejected or tried, for any history, and all counts return to 0', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(1, 1, 2, 3, 0), { minLength: 1, maxLength: 3 }),
      balancing,
      fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 7 }),
      fc.array(step, { minLength: 30, maxLength: 120, size: 'max' }),
      (weights, kind, fractions, steps) => {
        fc.pre(weights.some((weight) => weight > 0));
        const model = new Model(weights, kind, fractions);
        for (const each of steps) {
          if (each.do === 'choose') model.choose(each.tried);
          else if (each.do === 'end') model.end(each.which, each.outcome);
          else if (each.do === 'check') model.check(each.which, each.isWell);
          else if (each.do === 'wait') {
            model.nowMs += each.ms;
            model.world.clock.advance(each.ms);
          } else {
            const naive = model.naive[each.which % model.naive.length] as NaiveTarget;
            naive.drained = each.drained;
            const done = each.drained ? model.targets.drain(naive.address) : model.targets.undrain(naive.address);
            expect(done).toEqual({ drained: each.drained, drainedBy: null });
          }
        }
        while (model.underWay.length > 0) model.end(0, 'neither');
        for (const naive of model.naive) expect(model.ledger(naive).active).toBe(0);
      },
    ),
    { numRuns: 200 },
  );
});

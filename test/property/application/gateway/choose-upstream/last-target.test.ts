import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChosenTarget } from '../../../../../src/application/gateway/choose-upstream/chosen-target.js';
import { initialHealth } from '../../../../../src/domain/gateway/health/target-health.js';
import { anybody, TargetsWorld, upstreamOf } from '../../../../support/gateway/upstream-targets.js';

const healthCheck = {
  probe: { kind: 'tcp' as const },
  intervalMs: 1e9,
  timeoutMs: 1,
  healthyThreshold: 1,
  unhealthyThreshold: 1,
};

const sparing = { healthCheck, targetBreaker: { failureThreshold: 2, openMs: 100, probes: 1 }, sparesLastTarget: true };

const step = fc.record({
  do: fc.constantFrom('send', 'send', 'fail', 'fail', 'fail', 'succeed', 'answer', 'wait', 'drain', 'check', 'fill'),
  which: fc.nat({ max: 20 }),
  isOn: fc.boolean(),
});

it('a request always gets a target while one is healthy and not drained, for any failures in any generation', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(1, 1, 2, 0), { minLength: 1, maxLength: 4 }),
      fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }),
      (weights, steps) => {
        const world = new TargetsWorld();
        const texts = weights.map((weight, index) => `10.0.0.${index + 1}:80 ${weight}`);
        // The replaced generation does not spare the last target.
        const before = world.open(upstreamOf(texts, { ...sparing, sparesLastTarget: false }));
        const now = world.open(upstreamOf(texts, sparing));
        before.activate();
        now.activate();
        const names = texts.map((text) => text.split(' ')[0] as string);
        const drained = new Set<string>();
        const unhealthy = new Set<string>();
        const out: ChosenTarget[] = [];
        const send = (targets: typeof now): string => {
          const choice = targets.choose(anybody);
          if (choice.kind === 'chosen') out.push(choice);
          return choice.kind;
        };
        for (const { do: what, which, isOn } of steps) {
          const name = names[which % names.length] as string;
          const target = out[which % Math.max(1, out.length)];
          if (what === 'send') send(isOn ? now : before);
          else if (what === 'wait') world.clock.advance(which * 10);
          else if (what === 'fill') Object.assign(world.clients.made[which % names.length] as object, { isFull: isOn });
          else if (what === 'drain') {
            if (isOn) drained.add(name);
            else drained.delete(name);
            if (isOn) now.drain(name);
            else now.undrain(name);
          } else if (what === 'check') {
            if (isOn) unhealthy.delete(name);
            else unhealthy.add(name);
            world.ledgerOf(name).noteHealth(isOn ? initialHealth : { ...initialHealth, healthy: false, sinceMs: 1 });
          } else if (target !== undefined && what === 'answer') target.answered();
          else if (target !== undefined) {
            out.splice(out.indexOf(target), 1);
            target.ended(what === 'fail' ? 'failure' : 'success');
          }
          const isThere = names.some(
            (each, index) => (weights[index] ?? 0) > 0 && !drained.has(each) && !unhealthy.has(each),
          );
          const kind = send(now);
          expect(kind === 'chosen').toBe(isThere);
        }
      },
    ),
    { numRuns: 200 },
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RetryAllowance } from '../../../../../src/application/gateway/proxy-request/forwarding-rules.js';
import { ScriptedBody } from '../../../../support/gateway/scripted-body.js';
import {
  answered,
  evicted,
  failed,
  ScriptedTargets,
  type TargetScript,
} from '../../../../support/gateway/scripted-targets.js';
import { recordedExchange, sendingStage } from '../../../../support/gateway/sending-stage.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

/** The behaviour of a target: reads of the body, time, and then a result. */
interface Doing {
  readonly reads: number;
  readonly tookMs: number;
  readonly end:
    | 'unreachable'
    | 'invalid_response'
    | 'timed_out'
    | 'overloaded'
    | 'turned_away'
    | 'refused_request'
    | 200
    | 503
    | 'broken';
  readonly neverSent: boolean;
  /** Asks to send the request again to the same target, as for a stale connection. */
  readonly repeats: boolean;
}

const doing: fc.Arbitrary<Doing> = fc.record({
  reads: fc.nat({ max: 4 }),
  tookMs: fc.nat({ max: 60 }),
  end: fc.constantFrom<Doing['end'][]>(
    'unreachable',
    'unreachable',
    'invalid_response',
    'timed_out',
    'overloaded',
    'turned_away',
    'turned_away',
    'refused_request',
    200,
    503,
    'broken',
  ),
  neverSent: fc.boolean(),
  repeats: fc.boolean(),
});

const request = fc.record({
  method: fc.constantFrom('GET', 'PUT', 'DELETE', 'POST', 'PATCH'),
  pieces: fc.option(fc.array(fc.constantFrom(1, 5, 40_000), { maxLength: 4 }), { nil: null }),
  targets: fc.array(doing, { minLength: 1, maxLength: 5 }),
});

const once = new Set(['POST', 'PATCH']);

it('a request is never sent more often than permitted, and each attempt gets the body from its first octet', async () => {
  const parts = fc.record({
    requests: fc.array(request, { minLength: 1, maxLength: 20 }),
    maxAttempts: fc.integer({ min: 1, max: 5 }),
    percent: fc.integer({ min: 0, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(parts, async ({ requests, maxAttempts, percent }) => {
      const clock = new ManualClock();
      const allowance = new RetryAllowance(percent);
      let retries = 0;
      for (const { method, pieces, targets: doings } of requests) {
        const cut = (pieces ?? []).map((length, index) => Buffer.alloc(length, 97 + index));
        const all = Buffer.concat(cut);
        let sent = 0;
        let turnedAways = 0;
        let repetitions = 0;
        const scriptOf =
          ({ reads, tookMs, end, neverSent, repeats }: Doing): TargetScript =>
          async ({ body, takeRetry }) => {
            if (end === 'turned_away') {
              turnedAways += 1;
              clock.advance(tookMs);
              return evicted;
            }
            if (repeats && body === null && method === 'GET' && takeRetry()) repetitions += 1;
            const read: Uint8Array[] = [];
            for (let turn = 0; turn < reads; turn += 1) read.push((await body?.read()) ?? Buffer.alloc(0));
            const octets = Buffer.concat(read);
            expect(octets.equals(all.subarray(0, octets.length))).toBe(true);
            clock.advance(tookMs);
            if (typeof end === 'number' || end === 'broken' || !neverSent) sent += 1;
            if (end === 'broken') return answered(200, ['a', null]);
            return typeof end === 'number' ? answered(end, ['a']) : failed(end, neverSent);
          };
        const scripts = Object.fromEntries(doings.map((each, index) => [`t${index}`, scriptOf(each)]));
        const targets = new ScriptedTargets(scripts);
        const rules = { maxAttempts, budgetPercent: percent };
        const { stage } = sendingStage(targets, { clock, allowance, retries: rules, timeoutMs: 100 });
        const { exchange, response } = recordedExchange({ method }, pieces === null ? null : new ScriptedBody(cut));
        expect(await stage(exchange)).toBe('ended');
        expect(response.state).not.toBe('open');
        const sendings = targets.sent.length - turnedAways + repetitions;
        expect(sendings).toBeLessThanOrEqual(maxAttempts);
        expect(new Set(targets.sent).size).toBe(targets.sent.length);
        if (once.has(method)) expect(sent).toBeLessThanOrEqual(1);
        const ended = targets.told.filter((line) => !line.endsWith('answered')).map((line) => line.split(':')[0]);
        expect(ended).toEqual(targets.sent);
        retries += Math.max(0, sendings - 1);
      }
      expect(retries).toBeLessThanOrEqual(percent === 0 ? 0 : 10 + (percent * requests.length) / 100);
    }),
    { numRuns: 80 },
  );
});

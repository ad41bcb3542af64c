import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { MirrorSlots } from '../../../../../src/application/gateway/admit/mirror-slots.js';
import { RequestMirror } from '../../../../../src/application/gateway/proxy-request/mirror/request-mirror.js';
import type { MirrorResult } from '../../../../../src/domain/gateway/route-transforms/mirror.js';
import { ownedHeaders } from '../../../../../src/domain/http/owned-headers.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';
import { ScriptedBody } from '../../../../support/gateway/scripted-body.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const events = ['sent', 'not sent', 'read', 'cancel', 'exchange ends', 'slot', 'no slot'] as const;

/** `null`: the body breaks there. */
const bodies = fc.option(fc.array(fc.option(fc.constantFrom('a', 'bcd', 'efghijk'), { freq: 6 }), { maxLength: 4 }));

it('releases the slot of a copy exactly once and counts at most one result, whatever happens in which order', async () => {
  const orders = fc.array(fc.constantFrom(...events), { maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(bodies, orders, fc.boolean(), async (pieces, order, isAsked) => {
      let taken = 0;
      let settleSlot = (_isTaken: boolean): void => undefined;
      const slots = {
        take: () => {
          if (!isAsked) {
            taken += 1;
            return true;
          }
          return new Promise<boolean>((resolve) => {
            settleSlot = (isTaken) => {
              if (isTaken) taken += 1;
              settleSlot = () => undefined;
              resolve(isTaken);
            };
          });
        },
        release: () => {
          taken -= 1;
        },
      };
      const results: MirrorResult[] = [];
      const clock = new ManualClock();
      const mirror = new RequestMirror({
        rules: { upstream: 'shadow', percent: 100, keepsCredentials: false },
        slots: slots as unknown as MirrorSlots,
        random: { fraction: () => 0 },
        clock,
        scheduler: new ManualScheduler(clock),
        logger: new RecordingLogger(),
        metrics: { ended: (result) => void results.push(result) },
        maxBodyOctets: 8,
        credentials: ownedHeaders([]),
        identity: { current: () => ownedHeaders([]) },
        chooser: {
          choose: () => ({ kind: 'unhealthy', retryAfterSeconds: 1 }),
          hasChoice: false,
          connectMs: 1,
          hasOther: () => false,
        },
        timeoutMs: 1_000,
      });
      const exchange = newExchange();
      if (pieces !== null) exchange.forwarded.body = new ScriptedBody(pieces);
      const copy = mirror.begin(exchange);
      const { body } = exchange.forwarded;
      let isSent = false;
      const happen = async (event: (typeof events)[number]): Promise<void> => {
        if ((event === 'sent' || event === 'not sent') && !isSent) {
          isSent = true;
          copy?.sent(event === 'sent' ? '/' : null);
        } else if (event === 'read') await Promise.resolve(body?.read()).catch(() => undefined);
        else if (event === 'cancel') body?.cancel();
        else if (event === 'exchange ends') copy?.requestEnded();
        else if (event === 'slot' || event === 'no slot') settleSlot(event === 'slot');
      };
      for (const event of order) {
        await happen(event);
        await settled();
        expect(taken).toBeGreaterThanOrEqual(0);
      }
      // Every exchange is sent or not, and ends; every question about a slot is answered.
      await happen('sent');
      copy?.requestEnded();
      settleSlot(true);
      await settled();
      expect(taken).toBe(0);
      expect(results.length).toBeLessThanOrEqual(1);
      // A request that ends before it is sent has no copy.
      const first = order.find((event) => ['sent', 'not sent', 'exchange ends'].includes(event)) ?? 'sent';
      if (first === 'sent') expect(results).toHaveLength(1);
    }),
    { numRuns: 300 },
  );
});

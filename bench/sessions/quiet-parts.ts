import type { Clock } from '../../src/application/ports/clock.js';
import type { Scheduler } from '../../src/application/ports/scheduler.js';
import type { SecretDigest } from '../../src/application/ports/secret-digest.js';
import type { SessionsParts } from '../../src/application/saml-sessions/sessions.js';
import { built } from '../built.js';

/** What sessions need besides a store, from the product; nothing is logged. */
export const quietParts = async (): Promise<Omit<SessionsParts, 'store'>> => {
  const { SystemClock } = await built<{ readonly SystemClock: new () => Clock }>(
    'adapters/outbound/node-clock/system-clock.js',
  );
  const { NodeScheduler } = await built<{ readonly NodeScheduler: new () => Scheduler }>(
    'adapters/outbound/node-scheduler/node-scheduler.js',
  );
  const { HmacSecretDigest } = await built<{ readonly HmacSecretDigest: new () => SecretDigest }>(
    'adapters/outbound/hmac-secret-digest/hmac-secret-digest.js',
  );
  const nothing = () => undefined;
  return {
    clock: new SystemClock(),
    scheduler: new NodeScheduler(),
    digest: new HmacSecretDigest(),
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing, trace: nothing },
    prepare: ({ userId }) => ({
      identity: { method: 'saml', userId, claims: null, certificate: null },
      operations: [],
    }),
    idleMs: null,
    issuer: () => null,
  };
};

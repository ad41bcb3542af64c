import type { PreparedIdentity } from '../../src/application/agent/authenticate/prepared-identity.js';
import type { SessionsOptions } from '../../src/application/agent/sessions/sessions.js';
import type { Clock } from '../../src/application/ports/shared/clock.js';
import type { Scheduler } from '../../src/application/ports/shared/scheduler.js';
import type { SecretDigest } from '../../src/application/ports/shared/secret-digest.js';
import type { Identity } from '../../src/domain/agent/identity/identity.js';
import type { HeaderOperation } from '../../src/domain/agent-protocol/messages.js';
import { built } from '../built.js';

/** What sessions need besides a store and what is known of it, from the product. */
export const quietParts = async (): Promise<Omit<SessionsOptions, 'store' | 'known'>> => {
  const { SystemClock } = await built<{ readonly SystemClock: new () => Clock }>(
    'adapters/outbound/node-clock/system-clock.js',
  );
  const { NodeScheduler } = await built<{ readonly NodeScheduler: new () => Scheduler }>(
    'adapters/outbound/node-scheduler/node-scheduler.js',
  );
  const { HmacSecretDigest } = await built<{ readonly HmacSecretDigest: new () => SecretDigest }>(
    'adapters/outbound/hmac-secret-digest/hmac-secret-digest.js',
  );
  const { preparedIdentity } = await built<{
    readonly preparedIdentity: (identity: Identity, operations: readonly HeaderOperation[]) => PreparedIdentity;
  }>('application/agent/authenticate/prepared-identity.js');
  return {
    clock: new SystemClock(),
    scheduler: new NodeScheduler(),
    digest: new HmacSecretDigest(),
    prepare: ({ userId }) => preparedIdentity({ method: 'saml', userId, claims: null, certificate: null }, []),
    idleMs: null,
    accepts: () => true,
  };
};

import { KeySets } from '../../../src/application/agent/keys/key-sets.js';
import type { VerificationKeys } from '../../../src/application/ports/agent/token-verifier.js';
import type { Random } from '../../../src/application/ports/shared/random.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { err, ok } from '../../../src/domain/shared/result.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler } from '../shared/manual-scheduler.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { FakeKeySetSource } from './fake-key-set-source.js';

/** Chance that a test sets. */
export class SetRandom implements Random {
  value = 0;

  uuid(): string {
    return '00000000-0000-4000-8000-000000000000';
  }

  token(): string {
    return 'A'.repeat(43);
  }

  fraction(): number {
    return this.value;
  }

  hex(octets: number): string {
    return 'a'.repeat(2 * octets);
  }
}

/** A JWK of the right form; nobody has the other half of it. */
export const formedJwk = (kid: string | null, x = `x-of-${kid}`): JsonObject => ({
  kty: 'EC',
  crv: 'P-256',
  x,
  y: 'y',
  ...(kid === null ? {} : { kid }),
});

/** The `x` of a key that cannot be made ready. */
export const unfitNumber = 'unfit';

/** Takes keys of the right form, all but the unfit; whatever token comes is signed with them. */
export const formalKeys: VerificationKeys = {
  prepare: async (key) =>
    'jwk' in key && key.jwk['x'] === unfitNumber ? err('is no point of the curve') : ok({ isSigned: () => true }),
};

export const keySetUrl = 'https://id.example/keys?tenant=secret-of-the-url';

/** Key sets with a source, a clock and a chance that the test moves. */
export const testKeySets = (keys: VerificationKeys = formalKeys) => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const source = new FakeKeySetSource();
  const random = new SetRandom();
  const logger = new RecordingLogger();
  const sets = new KeySets({ source, keys, clock, scheduler, random, logger });
  return { clock, scheduler, source, random, logger, sets };
};

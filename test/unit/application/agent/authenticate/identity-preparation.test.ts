import { expect, it } from 'vitest';
import {
  IdentityPreparation,
  omittedClaimLogIntervalMs,
} from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import type { AuthenticationMethod } from '../../../../../src/domain/agent/identity/request-credentials.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

it('logs omitted claims at most once a minute per method for any number of tokens', () => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const names = { userId: 'X-User-Id', authMethod: 'X-Auth-Method' };
  const preparation = new IdentityPreparation(names, 2_048, logger, clock);
  const prepare = (method: AuthenticationMethod, claims: Record<string, string> = { 'a-b': '1', a_b: '2' }) =>
    preparation.prepare({ method, userId: 'ann', claims, certificate: null });
  const untold = () => logger.lines.map(({ fields }) => [fields['method'], fields['untold']]);

  for (let index = 0; index < 1_000; index += 1) {
    expect(prepare('oidc').operations).toHaveLength(3);
    prepare('oidc', { role: 'editor' });
  }
  prepare('jwt');
  expect(untold()).toEqual([
    ['oidc', 0],
    ['jwt', 0],
  ]);
  clock.advance(omittedClaimLogIntervalMs - 1);
  prepare('oidc');
  clock.advance(1);
  prepare('oidc');
  prepare('jwt');
  expect(untold().slice(2)).toEqual([
    ['oidc', 1_000],
    ['jwt', 0],
  ]);
  expect(logger.lines.every(({ level }) => level === 'warn')).toBe(true);
});

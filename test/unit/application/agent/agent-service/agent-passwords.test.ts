import { describe, expect, it } from 'vitest';
import {
  PasswordChecks,
  passwordQueueLimits,
} from '../../../../../src/application/agent/authenticate/password-checks.js';
import type { PasswordVerifier } from '../../../../../src/application/ports/agent/password-verifier.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { startedTestAgent, testAgent } from '../../../../support/agent/test-agent.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const hashed = { 'basic-auth-users': [`ann:$2b$10$${'.'.repeat(53)}`] };
const basic = (user: string, password: string) => [
  'authorization',
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
];
const clock = new ManualClock();
const checks = (verifier: PasswordVerifier) => ({
  passwords: new PasswordChecks({ verifier, clock, logger: new RecordingLogger() }),
});

/** Never comes to an end with any password. */
const endless: PasswordVerifier = { prepare: async () => ok(undefined), matches: () => new Promise(() => undefined) };

describe('an agent whose users have hashed passwords', () => {
  it('gets 503 while too many passwords wait, counts it, and still accepts API keys', async () => {
    const { agent, ask } = await startedTestAgent({ ...hashed, 'api-keys': ['key:name'] }, checks(endless));
    const { running, waitingPerUser } = passwordQueueLimits;
    for (let index = 0; index < running + waitingPerUser; index += 1) void ask(basic('ann', `guess ${index}`));
    await settled();
    const { decision, audit } = await ask(basic('ann', 'one more'));
    expect(decision).toMatchObject({
      kind: 'block',
      status: 503,
      headers: ['Content-Type', 'application/problem+json', 'Retry-After', '1'],
    });
    expect(audit.reasonCodes).toEqual(['overloaded']);
    expect(agent.metrics().counters).toContainEqual(
      expect.objectContaining({ labels: { method: 'basic', reason: 'overloaded' }, value: 1 }),
    );
    expect((await ask([...basic('ann', 'one more'), 'x-api-key', 'key'])).decision.kind).toBe('allow');
  });

  it('does not start if the hashes cannot be verified', async () => {
    const without = { ...endless, prepare: async () => err('the module is not there') };
    expect(await testAgent(hashed, checks(without)).agent.start()).toMatchObject({
      ok: false,
      error: [
        { option: 'basic-auth-users', message: 'bcrypt passwords cannot be checked here: the module is not there' },
      ],
    });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { maximumSharers } from '../../src/application/agent/authenticate/authentication-check.js';
import { PasswordChecks, passwordQueueLimits } from '../../src/application/agent/authenticate/password-checks.js';
import { maximumRefetchWaiters } from '../../src/application/agent/keys/key-set.js';
import type { AgentClient, AgentOutcome } from '../../src/application/ports/gateway/agent-client.js';
import type { HeaderList } from '../../src/domain/http/header-list.js';
import type { JsonObject } from '../../src/domain/shared/json.js';
import { FakeKeySetSource } from '../support/agent/fake-key-set-source.js';
import { HeldPasswordVerifier } from '../support/agent/held-password-verifier.js';
import { requestEvent, startedTestAgent } from '../support/agent/test-agent.js';
import { ecPair, publicJwk, signToken } from '../support/agent/test-tokens.js';
import { type AgentTransport, openTransport, transportNames } from '../support/shared/agent-transports.js';
import { eventually } from '../support/shared/eventually.js';
import { ManualClock } from '../support/shared/manual-clock.js';
import { ManualScheduler } from '../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../support/shared/recording-logger.js';

const issuer = 'https://id.example';
const { running, waiting } = passwordQueueLimits;
const pair = ecPair();

const config: JsonObject = {
  oidc: { enabled: true, issuer, 'jwks-url': `${issuer}/keys`, audience: 'api' },
  'api-keys': ['key:alice'],
  'basic-auth-users': [`ann:$2b$10$${'.'.repeat(53)}`],
};

const told = (outcome: AgentOutcome): string => {
  if (!outcome.ok) return outcome.error.code;
  const { decision } = outcome.value;
  return decision.kind === 'block' ? `${decision.status}` : decision.kind;
};

const bearer = (token: string): HeaderList => ['authorization', `Bearer ${token}`];
const basic = (user: string, password: string): HeaderList => [
  'authorization',
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
];

describe.each(transportNames)('requests that wait, with the agent by the %s transport', (name) => {
  const open: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close();
  });

  /** The agent with a provider that hangs once its first keys were had, and passwords that nobody checks. */
  const hanging = async (timeoutMs: number) => {
    const clock = new ManualClock();
    const source = new FakeKeySetSource();
    const verifier = new HeldPasswordVerifier();
    source.publish({ ...publicJwk(pair.publicKey), kid: 'first' });
    const { agent } = await startedTestAgent(config, {
      clock,
      // Stands still: nobody's patience ends by itself.
      scheduler: new ManualScheduler(clock),
      keySetSource: source,
      passwords: new PasswordChecks({ verifier, clock, logger: new RecordingLogger() }),
    });
    open.push(() => agent.stop());
    const transport: AgentTransport = await openTransport(
      name,
      agent,
      { timeoutMs, maxQueueDepth: 2_000, config: null },
      // The places of one connection have to do.
      1,
    );
    open.push(() => transport.close());
    transport.client.start();
    await transport.ready();
    const claims = { iss: issuer, sub: 'orders', aud: 'api', exp: clock.seconds() + 3_600 };
    const token = (kid: string) => signToken('ES256', pair.privateKey, claims, { kid });
    let asked = 0;
    const ask = async (headers: HeaderList): Promise<string> => {
      asked += 1;
      return told(await transport.client.ask(requestEvent(headers, `call-${asked}`)));
    };
    const remembered = bearer(token('first'));
    expect(await ask(remembered)).toBe('allow');
    source.isHeld = true;
    return { agent, source, verifier, client: transport.client as AgentClient, token, ask, remembered };
  };

  it('hold up nobody else: API keys and remembered tokens are answered before any of them', async () => {
    const { agent, source, verifier, token, ask, remembered } = await hanging(60_000);
    const template = token('unknown');
    const forged = (index: number) =>
      [Buffer.from(`{"alg":"ES256","kid":"k${index}"}`).toString('base64url'), ...template.split('.').slice(1)].join(
        '.',
      );
    const refused: string[] = [];
    const flood = [
      ...Array.from({ length: 1_000 }, (_, index) => bearer(forged(index))),
      ...Array.from({ length: 500 }, (_, index) => basic(`user ${index}`, 'wrong')),
      ...Array.from({ length: 100 }, () => basic('user 0', 'wrong')),
    ].map(async (headers) => void refused.push(await ask(headers)));

    const during = [ask(['x-api-key', 'key']), ask(remembered)];
    expect(await Promise.all(during)).toEqual(['allow', 'allow']);

    // All but those that wait have been turned away by now; more are not let in, and nobody else feels it.
    const held = maximumRefetchWaiters + running + waiting + (maximumSharers - 1);
    await eventually(() => refused.length === flood.length - held);
    expect(new Set(refused)).toEqual(new Set(['503']));
    expect(agent.health().load?.inFlight).toBe(held);
    expect(await ask(['x-api-key', 'key'])).toBe('allow');
    expect(await ask(remembered)).toBe('allow');
    expect(await ask(bearer(token('first')))).toBe('allow');
    expect(agent.health().load?.inFlight).toBe(held);

    source.letGo();
    await eventually(() => agent.health().load?.inFlight === held - maximumRefetchWaiters);
    await verifier.answerAll(false);
    await Promise.all(flood);
    expect(agent.health().load?.inFlight).toBe(0);
    expect(new Set(refused)).toEqual(new Set(['503', '401']));
  });

  it('let go of their places when the gateway no longer waits for the answer, and leave the queue', async () => {
    const { agent, source, verifier, token, ask } = await hanging(200);
    const unknown = Array.from({ length: 150 }, (_, index) => ask(bearer(token(`unknown-${index}`))));
    const guesses = Array.from({ length: 40 }, (_, index) => ask(basic(`user ${index}`, 'wrong')));
    expect(new Set(await Promise.all([...unknown, ...guesses]))).toEqual(new Set(['timed_out']));
    await eventually(() => agent.health().load?.inFlight === 0);
    // The fetch goes on for those who come later; checks that had not begun never do.
    expect(source.unanswered).toBe(1);
    await verifier.answerAll(false);
    expect(verifier.passwords).toHaveLength(running);
    expect(await ask(['x-api-key', 'key'])).toBe('allow');
    source.publish({ ...publicJwk(pair.publicKey), kid: 'first' }, { ...publicJwk(pair.publicKey), kid: 'second' });
    source.letGo();
    expect(await ask(bearer(token('second')))).toBe('allow');
  });

  it('let go of their places when the client has gone, or the gateway', async () => {
    const { agent, client, token, verifier } = await hanging(60_000);
    const load = () => agent.health().load?.inFlight;
    const one = client.ask(requestEvent(bearer(token('unknown')), 'one'));
    const other = client.ask(requestEvent(basic('ann', 'wrong'), 'other'));
    await eventually(() => load() === 2);
    client.cancel('one', 'client_disconnect');
    client.cancel('other', 'client_disconnect');
    expect([told(await one), told(await other)]).toEqual(['cancelled', 'cancelled']);
    await eventually(() => load() === 0);

    const left = client.ask(requestEvent(bearer(token('unknown')), 'left'));
    const guess = client.ask(requestEvent(basic('ann', 'another'), 'guess'));
    await eventually(() => load() === 2 && verifier.held.length === 2);
    await client.stop(0);
    expect([told(await left), told(await guess)]).toEqual(['cancelled', 'cancelled']);
    await eventually(() => load() === 0);
  });
});

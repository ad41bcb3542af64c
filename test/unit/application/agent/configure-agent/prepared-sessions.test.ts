import { describe, expect, it } from 'vitest';
import { CryptoSessionSecrets } from '../../../../../src/adapters/outbound/crypto-session-secrets/crypto-session-secrets.js';
import type { AgentProcessServices } from '../../../../../src/application/agent/configure-agent/agent-process-services.js';
import { PreparedSessions } from '../../../../../src/application/agent/configure-agent/prepared-sessions.js';
import { SessionCache } from '../../../../../src/application/agent/sessions/session-cache.js';
import type { SessionStoreLease } from '../../../../../src/application/agent/sessions/session-store-leases.js';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import type { Session } from '../../../../../src/domain/agent/sessions/session.js';
import { FakeSessionStore } from '../../../../support/agent/fake-session-store.js';
import { sessionIdOf, sessionOf, sha256Hex } from '../../../../support/agent/remembered-sessions.js';
import { optionsOf } from '../../../../support/agent/test-agent.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const saml = {
  enabled: true,
  'entity-id': 'https://app.example/saml',
  'acs-url': 'https://app.example/saml/acs',
  'idp-metadata-url': 'https://id.example/metadata',
  'attribute-mapping': { mail: 'X-Mail' },
};

const prepared = async (sessions: Record<string, number>, ...stored: readonly Session[]) => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const store = new FakeSessionStore();
  for (const session of stored) store.sessions.set(session.idHash, session);
  let released = 0;
  const lease = {
    stores: {
      sessions: store,
      replays: { removeExpired: async () => ({ ok: true, value: 0 }) },
      requests: { removeExpired: async () => ({ ok: true, value: 0 }) },
      forms: { removeExpired: async () => ({ ok: true, value: 0 }) },
    },
    state: { failure: null, fails: () => false, onChange: () => () => undefined },
    known: new SessionCache(store, clock),
    release: async () => {
      released += 1;
    },
  } as unknown as SessionStoreLease;
  const { options } = completeAgentOptions(optionsOf({ saml, sessions }), new Map());
  if (options?.sessions == null) throw new Error('no options');
  const oidc = { secrets: new CryptoSessionSecrets() };
  const services = { clock, scheduler, logger: new RecordingLogger(), digest: { sha256Hex }, oidc };
  const made = new PreparedSessions(options.sessions, options, lease, services as unknown as AgentProcessServices);
  return { made, clock, scheduler, store, released: () => released };
};

const kindOf = async (made: PreparedSessions, name: string) => (await made.sessions.check(sessionIdOf(name))).kind;

describe('the sessions of several ways to sign on', () => {
  const now = new ManualClock().wallMs();
  const ann = sessionOf('ann', now);
  const bob = sessionOf('bob', now, { method: 'oidc', provider: 'https://op.example corp' });
  const eve = sessionOf('eve', now, { method: 'oidc', provider: ann.provider });

  it('are valid while a way accepts their method and provider', async () => {
    const { made } = await prepared({}, ann, bob, eve);
    for (const name of ['ann', 'bob', 'eve']) expect(await kindOf(made, name)).toBe('unknown');
    made.acceptProviders('saml', (provider) => provider === ann.provider);
    expect(await Promise.all(['ann', 'bob', 'eve'].map((name) => kindOf(made, name)))).toEqual([
      'active',
      'unknown',
      'unknown',
    ]);
    made.acceptProviders('oidc', (provider) => provider === bob.provider);
    expect(await Promise.all(['ann', 'bob', 'eve'].map((name) => kindOf(made, name)))).toEqual([
      'active',
      'active',
      'unknown',
    ]);
  });

  it('give the upstream their own method', async () => {
    const { made } = await prepared({}, ann, bob);
    made.acceptProviders('saml', () => true);
    made.acceptProviders('oidc', () => true);
    for (const [name, method] of [
      ['ann', 'saml'],
      ['bob', 'oidc'],
    ] as const) {
      const checked = await made.sessions.check(sessionIdOf(name));
      if (checked.kind !== 'active') throw new Error(checked.kind);
      expect(checked.prepared.operations).toContainEqual({ kind: 'set', name: 'X-Auth-Method', value: method });
      expect(checked.prepared.operations).toContainEqual({ kind: 'set', name: 'X-User-Id', value: name });
    }
  });

  it.each(['saml', 'oidc'] as const)('end by idle time and lifetime, and leave the store: %s', async (method) => {
    const used = sessionOf('used', now, { method, expiresMs: now + 100_000 });
    const idle = sessionOf('idle', now, { method, expiresMs: now + 100_000 });
    const { made, clock, scheduler, store } = await prepared(
      { 'idle-secs': 40, 'cleanup-interval-secs': 60 },
      used,
      idle,
    );
    made.acceptProviders(method, () => true);
    for (let times = 0; times < 3; times += 1) {
      await scheduler.advance(30_000);
      expect(await kindOf(made, 'used')).toBe('active');
    }
    expect(await kindOf(made, 'idle')).toBe('expired');
    await scheduler.advance(10_000);
    expect(await kindOf(made, 'used')).toBe('expired');
    expect(clock.wallMs()).toBe(now + 100_000);
    await scheduler.advance(120_000);
    expect([...store.sessions.keys()]).toEqual([]);
  });

  it('are counted, and release their store once', async () => {
    const { made, released } = await prepared({}, ann, bob);
    made.count.latest();
    await Promise.resolve();
    await Promise.resolve();
    expect(made.count.latest()).toEqual({ saml: 1, oidc: 1 });
    await Promise.all([made.release(), made.release()]);
    expect(released()).toBe(1);
  });
});

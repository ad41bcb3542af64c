import { describe, expect, it } from 'vitest';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import {
  type ExchangeReason,
  exchangeRefusals,
} from '../../../../../src/domain/agent/token-exchange/exchange-refusal.js';
import type { AgentAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import {
  actorFields,
  basicOf,
  clientSecret,
  type ExchangeFields,
  ExchangeWorld,
  type ExchangeWorldPlan,
  exchangeFields,
  samlFields,
  seen,
} from '../../../../support/agent/fake-token-exchange.js';

/**
 * How a reason comes about, and what the client has to be told by RFC 6749, section 5.2, and RFC 8693, section 2.2.2.
 */
interface Case {
  readonly told: string;
  readonly plan?: ExchangeWorldPlan;
  readonly ask: (world: ExchangeWorld) => AgentAnswer | Promise<AgentAnswer>;
}

const asked =
  (fields: ExchangeFields): Case['ask'] =>
  (world) =>
    world.exchange(fields);

const withClaims =
  (claims: Parameters<ExchangeWorld['token']>[1], fields: ExchangeFields = {}): Case['ask'] =>
  (world) => {
    world.tokens.set('the-token-of-ann', world.token('ann', claims));
    return world.exchange(fields);
  };

const failing =
  (kind: 'overloaded' | 'keys_unavailable' | 'provider_unavailable' | 'store_unavailable'): Case['ask'] =>
  (world) => {
    world.tokens.set('the-token-of-ann', { kind, detail: 'said by a fake' });
    return world.exchange();
  };

const text = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();
const wholeForm = text(exchangeFields);

const clientRefused =
  (reason: ExchangeReason): Case['ask'] =>
  (world) => {
    world.clientFault = reason;
    return world.exchangeAsClient();
  };

const hasClient: ExchangeWorldPlan = { hasClient: true };
const type = (name: string): string => `urn:ietf:params:oauth:token-type:${name}`;

const cases: Readonly<Record<ExchangeReason, Case>> = {
  method_not_allowed: {
    told: '405 invalid_request',
    ask: (world) => world.answer(world.event({ method: 'GET' })),
  },
  not_a_form: {
    told: '400 invalid_request',
    ask: (world) => world.answer(world.event({ headers: ['content-type', 'application/json'] })),
  },
  form_too_large: {
    told: '413 invalid_request',
    ask: (world) => world.endpoint.refuseForm({ kind: 'too_large', event: world.event() }),
  },
  form_timeout: {
    told: '408 invalid_request',
    ask: (world) => world.endpoint.refuseForm({ kind: 'dropped', event: world.event() }),
  },
  malformed_form: { told: '400 invalid_request', ask: (world) => world.postText(`${wholeForm}&scope=%zz`) },
  parameters_in_query: {
    told: '400 invalid_request',
    ask: (world) => world.answer(world.event({ uri: '/token/exchange?x=1&%73ubject_token=abc' })),
  },
  duplicate_parameter: { told: '400 invalid_request', ask: (world) => world.postText(`${wholeForm}&scope=a&scope=a`) },
  too_many_parameters: {
    told: '400 invalid_request',
    ask: (world) => world.postText(`${wholeForm}${'&audience=billing'.repeat(17)}`),
  },
  missing_grant_type: { told: '400 invalid_request', ask: asked({ grant_type: '' }) },
  unsupported_grant_type: { told: '400 unsupported_grant_type', ask: asked({ grant_type: 'client_credentials' }) },
  missing_subject_token: { told: '400 invalid_request', ask: asked({ subject_token: undefined }) },
  missing_subject_token_type: { told: '400 invalid_request', ask: asked({ subject_token_type: undefined }) },
  missing_actor_token: {
    told: '400 invalid_request',
    ask: asked({ ...actorFields, actor_token: undefined }),
  },
  missing_actor_token_type: {
    told: '400 invalid_request',
    ask: asked({ ...actorFields, actor_token_type: undefined }),
  },
  unsupported_subject_token_type: {
    told: '400 invalid_request',
    ask: asked({ subject_token_type: type('refresh_token') }),
  },
  unsupported_actor_token_type: {
    told: '400 invalid_request',
    ask: asked({ ...actorFields, actor_token_type: type('saml1') }),
  },
  unsupported_requested_token_type: {
    told: '400 invalid_request',
    ask: asked({ requested_token_type: type('saml2') }),
  },
  malformed_scope: { told: '400 invalid_scope', ask: asked({ scope: 'read  write' }) },
  malformed_resource: { told: '400 invalid_target', ask: asked({ resource: '/orders' }) },
  malformed_audience: { told: '400 invalid_target', ask: asked({ audience: 'bil\nling' }) },
  missing_client: { told: '401 invalid_client', plan: hasClient, ask: asked({}) },
  malformed_client_credentials: {
    told: '401 invalid_client',
    plan: hasClient,
    ask: (world) => world.exchange({}, { headers: ['authorization', 'Basic !!!'] }),
  },
  several_client_credentials: {
    told: '400 invalid_request',
    plan: hasClient,
    ask: (world) => world.exchangeAsClient({ client_id: 'desk', client_secret: clientSecret }),
  },
  client_mismatch: {
    told: '401 invalid_client',
    plan: hasClient,
    ask: (world) => world.exchangeAsClient({ client_id: 'shop' }),
  },
  wrong_client_credentials: {
    told: '401 invalid_client',
    plan: hasClient,
    ask: (world) => world.exchange({}, { headers: ['authorization', basicOf('desk', 'guessed')] }),
  },
  wrong_client_assertion: {
    told: '401 invalid_client',
    plan: hasClient,
    ask: clientRefused('wrong_client_assertion'),
  },
  client_assertion_replayed: {
    told: '401 invalid_client',
    plan: hasClient,
    ask: clientRefused('client_assertion_replayed'),
  },
  invalid_subject_token: { told: '400 invalid_request', ask: asked({ subject_token: 'a-forged-token' }) },
  invalid_actor_token: {
    told: '400 invalid_request',
    ask: asked({ ...actorFields, actor_token: 'a-forged-token' }),
  },
  subject_token_replayed: {
    told: '400 invalid_request',
    ask: async (world) => {
      world.replays.held.set('assertion-1', world.clock.wallMs() + 1_000);
      return world.exchange(samlFields);
    },
  },
  actor_token_replayed: {
    told: '400 invalid_request',
    // One assertion for both: it is taken once, for the subject.
    ask: asked({ ...samlFields, actor_token: samlFields['subject_token'], actor_token_type: type('saml2') }),
  },
  bound_token: { told: '400 invalid_request', ask: withClaims({ cnf: { jkt: 'thumbprint' } }) },
  not_for_client: {
    told: '400 invalid_request',
    plan: hasClient,
    ask: (world) => {
      world.tokens.set('the-token-of-ann', world.token('ann', { aud: 'shop' }, { isOwn: true }));
      return world.exchangeAsClient();
    },
  },
  exchange_not_allowed: { told: '400 invalid_request', ask: asked({ subject_token_type: type('id_token') }) },
  client_has_no_exchange: {
    told: '400 unauthorized_client',
    plan: { hasClient: true, policy: { allowedExchanges: [] } },
    ask: (world) => world.exchangeAsClient(),
  },
  target_not_allowed: { told: '400 invalid_target', ask: asked({ audience: 'payroll' }) },
  scope_not_allowed: { told: '400 invalid_scope', ask: asked({ scope: 'read admin' }) },
  actor_not_allowed: { told: '400 invalid_request', ask: withClaims({ may_act: { sub: 'the shop' } }, actorFields) },
  too_many_actors: { told: '400 invalid_request', plan: { policy: { maximumActors: 0 } }, ask: asked(actorFields) },
  malformed_act: { told: '400 invalid_request', ask: withClaims({ act: 'the desk' }) },
  delegated_actor_token: {
    told: '400 invalid_request',
    ask: (world) => {
      world.tokens.set('the-token-of-the-desk', world.token('the desk', { act: { sub: 'somebody' } }));
      return world.exchange(actorFields);
    },
  },
  subject_token_over: {
    told: '400 invalid_request',
    plan: { policy: { limitLifetimeToSubject: true } },
    ask: (world) => {
      world.tokens.set('the-token-of-ann', world.token('ann', {}, { expiresMs: world.clock.wallMs() + 999 }));
      return world.exchange();
    },
  },
  token_too_large: { told: '400 invalid_request', ask: withClaims({ roles: ['x'.repeat(5_000)] }) },
  rate_limited: {
    told: '429 temporarily_unavailable',
    plan: { options: { rateLimit: { requestsPerSecond: 1, burst: 1 } } },
    ask: (world) => {
      expect(world.answer(world.event()).needsMore).toBe(true);
      return world.answer(world.event());
    },
  },
  overloaded: {
    told: '503 temporarily_unavailable',
    ask: (world) => world.endpoint.refuseForm({ kind: 'overloaded', event: world.event() }),
  },
  keys_unavailable: { told: '503 temporarily_unavailable', ask: failing('keys_unavailable') },
  provider_unavailable: { told: '503 temporarily_unavailable', ask: failing('provider_unavailable') },
  store_unavailable: {
    told: '503 temporarily_unavailable',
    ask: (world) => {
      world.replays.failing.add('remember');
      return world.exchange(samlFields);
    },
  },
  cancelled: {
    told: '503 temporarily_unavailable',
    ask: (world) => {
      const cancellation = new CancellationSource();
      cancellation.cancel();
      return world.exchange({}, {}, cancellation);
    },
  },
  signing_failed: {
    told: '500 server_error',
    ask: (world) => {
      world.before = (step) => {
        if (step === 'sign') throw new Error('of a library: eyJhbGciOi.the-token-of-ann');
      };
      return world.exchange();
    },
  },
};

const reasons = Object.keys(cases) as ExchangeReason[];
/** Texts of a request that belong in no log line and in no refusal. */
const secrets = [clientSecret, 'the-token-of', 'the-assertion-of', 'a-forged-token', 'guessed', 'eyJhbGciOi'];

describe.each(reasons)('an exchange that is refused for %s', (reason) => {
  const { told, plan, ask } = cases[reason];

  it('gets an OAuth error that is not cacheable', async () => {
    const { status, body, headers } = seen(await ask(new ExchangeWorld(plan)));
    expect(`${status} ${String(body['error'])}`).toBe(told);
    expect(Object.keys(body)).toEqual(['error', 'error_description']);
    expect(headers['content-type']).toEqual(['application/json']);
    expect(headers['cache-control']).toEqual(['no-store']);
    expect(headers['pragma']).toEqual(['no-cache']);
    const challenges = ['Basic realm="gateway", charset="UTF-8"', 'Bearer realm="gateway"'];
    expect(headers['www-authenticate']).toEqual(status === 401 ? challenges : undefined);
    expect(headers['allow']).toEqual(status === 405 ? ['POST'] : undefined);
    const mayRetry = status === 429 || status === 503;
    if (mayRetry) expect(Number(headers['retry-after']?.[0])).toBeGreaterThanOrEqual(1);
    else expect(headers['retry-after']).toBeUndefined();
  });

  it('gives one log line and one count, by its reason', async () => {
    const world = new ExchangeWorld(plan);
    const answer = await ask(world);
    expect(answer.audit.reasonCodes).toEqual([reason]);
    expect(world.results).toEqual([reason]);
    expect(world.logger.lines.map(({ message }) => message)).toEqual(['token exchange']);
    expect(world.logger.lines[0]).toMatchObject({
      level: reason === 'signing_failed' ? 'error' : 'warn',
      fields: { audit: 'token_exchange', decision: 'refused', reason, jti: null, correlation_id: 'request-1' },
    });
  });

  it('reveals no token, to the client or in the log', async () => {
    const world = new ExchangeWorld(plan);
    const shown = JSON.stringify([await ask(world), world.logger.lines]);
    for (const secret of secrets) expect(shown).not.toContain(secret);
    if (reason !== 'signing_failed') expect(world.signed).toEqual([]);
  });
});

it('the error description uses only the characters of RFC 6749, section 5.2', () => {
  for (const { description } of Object.values(exchangeRefusals)) {
    expect([...description].every((character) => character >= ' ' && character <= '~')).toBe(true);
    expect(description).not.toMatch(/["\\]/);
  }
});

import { HmacSecretDigest } from '../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { MemoryRateLimitStore } from '../../../src/adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { publicPolicy } from '../../../src/application/agent/configure-agent/prepare-token-exchange.js';
import type { ProvenClient } from '../../../src/application/agent/exchange-token/authenticate-client.js';
import { ExchangeRates } from '../../../src/application/agent/exchange-token/exchange-rates.js';
import type { PreparedClient } from '../../../src/application/agent/exchange-token/exchange-record.js';
import type { TokenFault } from '../../../src/application/agent/exchange-token/oauth-answers.js';
import {
  TokenEndpoint,
  type TokenEndpointOptions,
} from '../../../src/application/agent/exchange-token/token-endpoint.js';
import type { PublishedKey, SigningKey } from '../../../src/application/ports/agent/token-signing-keys.js';
import type { Cancellation } from '../../../src/application/ports/shared/cancellation.js';
import type { TokenExchangeOptions } from '../../../src/domain/agent/configuration/token-exchange-options.js';
import type { ClientCredentials } from '../../../src/domain/agent/token-exchange/client-credentials.js';
import type { ExchangePolicy } from '../../../src/domain/agent/token-exchange/exchange-policy.js';
import type { ExchangeReason } from '../../../src/domain/agent/token-exchange/exchange-refusal.js';
import type { PresentedToken } from '../../../src/domain/agent/token-exchange/read-exchange-request.js';
import type { SecurityToken } from '../../../src/domain/agent/token-exchange/security-token.js';
import { answerFault } from '../../../src/domain/agent-protocol/answer-rules.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../src/domain/agent-protocol/messages.js';
import { requestPath } from '../../../src/domain/http/path-normalisation.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';
import { headersEvent } from '../shared/agent-events.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler } from '../shared/manual-scheduler.js';
import { neverCancelled } from '../shared/never-cancelled.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { FakeReplayStore } from './fake-saml-stores.js';

export const exchangeOptions: TokenExchangeOptions = {
  issuer: 'https://gateway.example',
  endpointPath: '/token/exchange',
  endpointUrl: 'https://gateway.example/token/exchange',
  jwksPath: '/token/jwks',
  jwksUrl: 'https://gateway.example/token/jwks',
  metadataPath: '/.well-known/oauth-authorization-server',
  signingKeyFiles: ['/signing.pem'],
  signingAlgorithm: 'RS256',
  tokenTtlMs: 600_000,
  limitLifetimeToSubject: false,
  maximumActors: 2,
  claimsCopied: ['roles'],
  defaultAudience: null,
  samlOneTime: true,
  rateLimit: null,
  clients: null,
  allowedExchanges: [
    { subjectKind: 'jwt', issuedKind: 'access_token' },
    { subjectKind: 'jwt', issuedKind: 'jwt' },
    { subjectKind: 'saml2', issuedKind: 'access_token' },
  ],
  allowedAudiences: ['https://orders.example', 'billing'],
  allowedScopes: null,
};

/** The secret of the client `desk`. */
export const clientSecret = 'the secret of the front desk';

/** The form of an exchange that is in order. */
export const exchangeFields: Readonly<Record<string, string>> = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token: 'the-token-of-ann',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
};

export const actorFields: Readonly<Record<string, string>> = {
  actor_token: 'the-token-of-the-desk',
  actor_token_type: 'urn:ietf:params:oauth:token-type:jwt',
};

export const samlFields: Readonly<Record<string, string>> = {
  subject_token: 'the-assertion-of-ann',
  subject_token_type: 'urn:ietf:params:oauth:token-type:saml2',
};

/** A form; with `undefined` a field is left out. */
export type ExchangeFields = Readonly<Record<string, string | undefined>>;

const formOf = (fields: ExchangeFields): string =>
  new URLSearchParams(
    Object.entries({ ...exchangeFields, ...fields }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  ).toString();

export const basicOf = (id: string, secret: string): string => `Basic ${btoa(`${id}:${secret}`)}`;

const formType = ['content-type', 'application/x-www-form-urlencoded'];

export interface ExchangeWorldPlan {
  readonly options?: Partial<TokenExchangeOptions>;
  readonly policy?: Partial<ExchangePolicy>;
  /** There are two, `desk` and `shop`, who have to authenticate themselves with one secret. */
  readonly hasClient?: boolean;
  readonly keys?: TokenEndpointOptions['keys'];
}

/** What a call did that a test can hold up, or make go wrong. */
type Hook = (step: 'authenticate' | 'spend' | 'verify subject' | 'verify actor' | 'remember' | 'sign') => void;

/** The token endpoint with everything around it in the hands of a test. */
export class ExchangeWorld {
  readonly clock = new ManualClock();
  readonly scheduler = new ManualScheduler(this.clock);
  readonly logger = new RecordingLogger();
  readonly replays = new FakeReplayStore();
  readonly results: ('issued' | ExchangeReason)[] = [];
  /** What is known of tokens; of any other one it is that it is invalid. */
  readonly tokens = new Map<string, SecurityToken | TokenFault>();
  /** Payloads that were signed. */
  readonly signed: { readonly type: string; readonly payload: string }[] = [];
  /** Why no client is let in; null: those with the right secret are. */
  clientFault: ExchangeReason | null = null;
  /** Called before each step that is waited for. */
  before: Hook = () => undefined;
  readonly endpoint: TokenEndpoint;
  /** Ids of assertions that were spent; each is taken once. */
  readonly spent: string[] = [];
  /** Holds a verification up; it is told of the cancellation that it was given. */
  during: (token: string, cancellation: Cancellation) => Promise<TokenFault | null> = () => Promise.resolve(null);
  readonly #clients: readonly PreparedClient[];

  constructor(plan: ExchangeWorldPlan = {}) {
    const options = { ...exchangeOptions, ...plan.options };
    const policy: ExchangePolicy = {
      ...publicPolicy(options),
      clientId: plan.hasClient === true ? 'desk' : null,
      acceptedAudiences: plan.hasClient === true ? new Set(['desk']) : null,
      ...plan.policy,
    };
    this.#clients = ['desk', 'shop'].map((id) => ({ id, policy: { ...policy, clientId: id }, secrets: [], keys: [] }));
    this.tokens.set('the-token-of-ann', this.token('ann', { scope: 'read write', roles: ['clerk'] }));
    this.tokens.set('the-token-of-the-desk', this.token('the desk'));
    this.tokens.set('the-assertion-of-ann', {
      ...this.token('ann', { mail: 'ann@example.com' }),
      kind: 'saml2',
      issuer: 'https://idp.example',
      oneTime: { key: 'assertion-1', untilMs: this.clock.wallMs() + 900_000 },
    });
    this.endpoint = new TokenEndpoint({
      options,
      publicPolicy: policy,
      authenticate:
        plan.hasClient === true
          ? {
              authenticate: (credentials) => this.#authenticate(credentials),
              isSpent: ({ id }) => this.spent.includes(id),
              spend: (assertion) => this.#spend(assertion.id),
              claimed: (credentials) =>
                credentials.kind === 'secret' ? (this.#clientOf(credentials)?.id ?? null) : null,
            }
          : null,
      clientAlgorithms: ['ES256', 'RS256', 'ES256'],
      tokens: { verify: (presented, _, cancellation) => this.#verify(presented, cancellation) },
      keys: plan.keys ?? [this.signingKey('key-1')],
      replays: { remember: (key, untilMs) => this.#remember(key, untilMs) },
      rates: new ExchangeRates(new MemoryRateLimitStore(this.clock), null),
      clock: this.clock,
      scheduler: this.scheduler,
      random: { uuid: () => '0199a0e2-8a2c-4d4e-9d55-2f6f2c1f7b10' },
      digest: new HmacSecretDigest(),
      logger: this.logger,
      outcomes: { exchanged: (result) => void this.results.push(result) },
    });
  }

  /** A verified JWT that is good for five minutes. */
  token(subject: string, claims: SecurityToken['claims'] = {}, members: Partial<SecurityToken> = {}): SecurityToken {
    const issuer = 'https://partner.example';
    return {
      kind: 'jwt',
      issuer,
      subject,
      claims: { iss: issuer, sub: subject, ...claims },
      expiresMs: this.clock.wallMs() + 300_000,
      isOwn: false,
      isTypedForAccess: false,
      oneTime: null,
      ...members,
    };
  }

  publishedKey(kid: string): PublishedKey {
    const publicJwk = { kty: 'RSA', kid, alg: 'RS256', use: 'sig', n: 'AQAB', e: 'AQAB' };
    return { kid, algorithm: 'RS256', publicJwk, verifier: { isSigned: () => false } };
  }

  /** Signs so that the payload can be read in what comes out. */
  signingKey(kid: string): SigningKey {
    return {
      ...this.publishedKey(kid),
      sign: async (type, payload) => {
        await this.#step('sign');
        this.signed.push({ type, payload });
        return `${kid}.${Buffer.from(payload).toString('base64url')}.${type}`;
      },
    };
  }

  event(members: Partial<RequestHeadersEvent> = {}): RequestHeadersEvent {
    return headersEvent('request-1', { method: 'POST', uri: '/token/exchange', headers: formType, ...members });
  }

  /** The head of a request, as the agent brings it. */
  answer(event: RequestHeadersEvent): AgentAnswer {
    const answer = this.endpoint.answer(event, requestPath(event.uri) ?? '');
    if (answer instanceof Promise) throw new Error('the rates are at hand');
    return answer;
  }

  /** A request with its form, as the agent brings both. */
  async exchange(
    fields: ExchangeFields = {},
    members: Partial<RequestHeadersEvent> = {},
    cancellation: Cancellation = neverCancelled,
  ): Promise<AgentAnswer> {
    return this.postText(formOf(fields), members, cancellation);
  }

  async postText(
    text: string,
    members: Partial<RequestHeadersEvent> = {},
    cancellation: Cancellation = neverCancelled,
  ): Promise<AgentAnswer> {
    const event = this.event(members);
    const headers = [...event.headers, ...(members.headers === undefined ? [] : formType)];
    const whole = { ...event, headers };
    const head = this.answer(whole);
    if (!head.needsMore) return head;
    return this.endpoint.answerForm(whole, requestPath(whole.uri) ?? '', new TextEncoder().encode(text), cancellation);
  }

  /** As the client, with the right secret. */
  exchangeAsClient(fields: ExchangeFields = {}, cancellation: Cancellation = neverCancelled): Promise<AgentAnswer> {
    return this.exchange(fields, { headers: ['authorization', basicOf('desk', clientSecret)] }, cancellation);
  }

  async #step(step: Parameters<Hook>[0]): Promise<void> {
    await Promise.resolve();
    this.before(step);
  }

  #clientOf({ clientId }: { readonly clientId: string | null }): PreparedClient | undefined {
    return this.#clients.find(({ id }) => id === clientId);
  }

  /** An assertion is right that is `of <its client>`; its id is its text. */
  async #authenticate(credentials: ClientCredentials): Promise<Result<ProvenClient, ExchangeReason>> {
    await this.#step('authenticate');
    if (this.clientFault !== null) return err(this.clientFault);
    if (credentials.kind === 'none') return err('missing_client');
    const client = this.#clientOf(credentials);
    if (client === undefined) return err('wrong_client_credentials');
    if (credentials.kind === 'secret') {
      return credentials.secret === clientSecret ? ok({ client, assertion: null }) : err('wrong_client_credentials');
    }
    const { assertion } = credentials;
    const proven = {
      clientId: client.id,
      id: assertion,
      audience: exchangeOptions.issuer,
      untilMs: this.clock.wallMs() + 60_000,
    };
    return assertion.endsWith(`of ${client.id}`) ? ok({ client, assertion: proven }) : err('wrong_client_assertion');
  }

  async #spend(id: string): Promise<ExchangeReason | null> {
    await this.#step('spend');
    if (this.spent.includes(id)) return 'client_assertion_replayed';
    this.spent.push(id);
    return null;
  }

  async #verify({ token }: PresentedToken, cancellation: Cancellation): Promise<Result<SecurityToken, TokenFault>> {
    await this.#step(token === actorFields['actor_token'] ? 'verify actor' : 'verify subject');
    const fault = await this.during(token, cancellation);
    const known = fault ?? this.tokens.get(token) ?? ({ kind: 'invalid', detail: 'bad_signature' } as const);
    return 'detail' in known ? err(known) : ok(known);
  }

  async #remember(key: string, untilMs: number): ReturnType<FakeReplayStore['remember']> {
    await this.#step('remember');
    return this.replays.remember(key, untilMs);
  }
}

/** An answer as a client sees it. */
export interface SeenAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Names in lower case; values of one name in their order. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

/** Fails where the answer is none that the gateway would pass on. */
export const seen = (answer: AgentAnswer): SeenAnswer => {
  const fault = answerFault(answer, headersEvent('request-1'));
  if (fault !== null || answer.decision.kind !== 'block') throw new Error(fault ?? `it says ${answer.decision.kind}`);
  const { status, body, headers } = answer.decision;
  const fields: Record<string, string[]> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = (headers[index] as string).toLowerCase();
    fields[name] = [...(fields[name] ?? []), headers[index + 1] as string];
  }
  return { status, body: body === null ? {} : (JSON.parse(body) as SeenAnswer['body']), headers: fields };
};

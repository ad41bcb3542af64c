import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { HmacSecretDigest } from '../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import type { SignOnRefusal } from '../../../src/application/agent/sign-on/saml/sign-on-refusal.js';
import { SingleSignOn } from '../../../src/application/agent/sign-on/saml/single-sign-on.js';
import { VerificationShares } from '../../../src/application/agent/sign-on/saml/verification-shares.js';
import { SignOnCookies } from '../../../src/application/agent/sign-on/shared/sign-on-cookies.js';
import { SignOut } from '../../../src/application/agent/sign-on/shared/sign-out.js';
import type { ServiceProviderKey } from '../../../src/application/ports/agent/saml-keys.js';
import type { Cancellation } from '../../../src/application/ports/shared/cancellation.js';
import type { SamlOptions } from '../../../src/domain/agent/configuration/saml-options.js';
import type { SessionCookieOptions } from '../../../src/domain/agent/configuration/sessions-options.js';
import type {
  Assertion,
  LogoutRequest,
  LogoutResponse,
  VerifiedResponse,
} from '../../../src/domain/agent/saml/assertion.js';
import type { IdentityProvider } from '../../../src/domain/agent/saml/identity-provider.js';
import type { RequiredPath } from '../../../src/domain/agent/sessions/session-requirements.js';
import { returnTarget } from '../../../src/domain/agent/sign-on/return-target.js';
import { answerFault } from '../../../src/domain/agent-protocol/answer-rules.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../src/domain/agent-protocol/messages.js';
import { AllowedOrigins } from '../../../src/domain/http/allowed-origins.js';
import { requestPath } from '../../../src/domain/http/path-normalisation.js';
import { Secret } from '../../../src/domain/shared/secret.js';
import { headersEvent } from '../shared/agent-events.js';
import { ManualClock } from '../shared/manual-clock.js';
import { neverCancelled } from '../shared/never-cancelled.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { FakeReplayStore, FakeRequestStore, FakeSessions } from './fake-saml-stores.js';
import { FakeDocumentVerifier } from './fake-saml-verifier.js';
import { stepUpRulesOf } from './step-up-rules-of.js';

/** The session cookie with its defaults, beside `saml`. */
export const sessionCookie: SessionCookieOptions = {
  name: 'gateway_saml_session',
  formerNames: [],
  domain: null,
  secure: true,
  httpOnly: true,
  sameSite: 'Lax',
};

export const samlOptions: SamlOptions = {
  entityId: 'https://app.example/saml',
  acsUrl: 'https://app.example/saml/acs',
  acsPath: '/saml/acs',
  metadataPath: '/saml/metadata',
  logoutPath: '/saml/logout',
  signedOutPath: null,
  identityProvider: {
    kind: 'configured',
    entityId: 'https://idp.example',
    ssoUrl: 'https://idp.example/sso',
    logoutUrl: null,
    certificateFile: '/idp.pem',
  },
  serviceProviderKey: null,
  nameIdFormat: null,
  authnContexts: [],
  forceAuthn: false,
  allowIdpInitiated: false,
  browserBinding: true,
  userIdAttribute: null,
  attributeMapping: [],
  clockSkewMs: 300_000,
  protectedPaths: [],
  excludedPaths: ['/public'],
};

const provider: IdentityProvider = {
  entityId: 'https://idp.example',
  ssoUrl: 'https://idp.example/sso',
  logout: { location: 'https://idp.example/slo', responseLocation: null },
  signingCertificates: ['MIIB'],
  wantsSignedRequests: false,
};

/** As the agent hands it over. */
export const pathOf = (uri: string): string => requestPath(uri) ?? '';

const decryptionKey = new Secret('the private key');

/** Signs with a text that says what was signed. */
export const spKey: ServiceProviderKey = {
  signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  sign: async (text) => `signed:${text.length}`,
  certificate: 'MIIC',
  decryptionKey,
};

/** The document that is posted; what is in it is what the verifier says. */
export const postedDocument = 'RG9jdW1lbnQgb2YgYW5u';

const nameId = { value: 'ann@idp', format: null, nameQualifier: null, spNameQualifier: null };

/** A browser with its cookies, as far as the tests need one. */
class CookieJar {
  readonly cookies = new Map<string, string>();

  take(answer: AgentAnswer): void {
    for (const line of setCookies(answer)) {
      const pair = line.split(';')[0] as string;
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      if (line.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }

  header(): readonly string[] {
    if (this.cookies.size === 0) return [];
    return ['cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')];
  }
}

export const setCookies = ({ responseHeaders }: AgentAnswer): readonly string[] =>
  responseHeaders.flatMap((operation) =>
    operation.kind === 'add' && operation.name === 'Set-Cookie' ? [operation.value] : [],
  );

/** Location of a redirect; fails where it is none. */
export const locationOf = ({ decision }: AgentAnswer): URL => {
  if (decision.kind !== 'redirect' || decision.status !== 302)
    throw new Error(`no redirect: ${JSON.stringify(decision)}`);
  return new URL(decision.url, 'https://app.example');
};

/** Status and code of a refusal, or what it is otherwise. */
export const refusalOf = ({ decision }: AgentAnswer): string => {
  if (decision.kind !== 'block') return decision.kind;
  const isProblem = decision.headers.includes('application/problem+json');
  return isProblem
    ? `${decision.status} ${(JSON.parse(decision.body ?? '') as { code: string }).code}`
    : `${decision.status}`;
};

export interface SamlWorldOptions {
  readonly options?: Partial<SamlOptions>;
  readonly cookie?: Partial<SessionCookieOptions>;
  readonly key?: ServiceProviderKey | null;
  readonly requiredPaths?: readonly RequiredPath[];
}

/** Single sign-on with everything around it in the hands of a test. */
export class SamlWorld {
  readonly clock = new ManualClock();
  readonly logger = new RecordingLogger();
  readonly digest = new HmacSecretDigest();
  readonly requests = new FakeRequestStore();
  readonly replays = new FakeReplayStore();
  readonly sessions = new FakeSessions((id) => this.digest.sha256Hex(id));
  readonly verifier = new FakeDocumentVerifier();
  readonly jar = new CookieJar();
  readonly refusals: SignOnRefusal[] = [];
  completed = 0;
  /** What is known of the identity provider. */
  provider: IdentityProvider | null = provider;
  /** How often that was asked to be found out. */
  hurried = 0;
  readonly options: SamlOptions;
  readonly cookie: SessionCookieOptions;
  readonly singleSignOn: SingleSignOn;
  /** Tokens that were given out: each a secret. */
  readonly tokens: string[] = [];
  readonly answers: AgentAnswer[] = [];
  #events = 0;

  constructor({ options = {}, cookie = {}, key = null, requiredPaths = [] }: SamlWorldOptions = {}) {
    this.options = { ...samlOptions, ...options };
    this.cookie = { ...sessionCookie, ...cookie };
    const cookies = new SignOnCookies(this.cookie);
    const signOut = new SignOut({ cookies, sessions: this.sessions, logger: this.logger });
    this.singleSignOn = new SingleSignOn({
      options: this.options,
      cookies,
      signOut,
      sessionTtlMs: 28_800_000,
      returnOrigins: new AllowedOrigins(['https://*.portal.example']),
      key,
      keys: {
        deflate: (message) => Buffer.from(message, 'utf8').toString('base64'),
        encode: (message) => Buffer.from(message, 'utf8').toString('base64'),
        digest: (text) => createHash('sha256').update(text, 'utf8').digest('base64'),
      },
      trust: {
        current: () => this.provider,
        hurry: () => {
          this.hurried += 1;
        },
      },
      verifier: this.verifier,
      shares: new VerificationShares(),
      sessions: this.sessions,
      requests: this.requests,
      replays: this.replays,
      stepUp: stepUpRulesOf(requiredPaths, this.clock),
      random: { uuid: () => randomUUID(), token: () => this.#token() },
      digest: this.digest,
      clock: this.clock,
      logger: this.logger,
      outcomes: {
        completed: () => {
          this.completed += 1;
        },
        refused: (reason) => void this.refusals.push(reason),
      },
    });
    signOut.add(this.singleSignOn);
  }

  /** A request of the browser, with its cookies. */
  event(uri: string, members: Partial<RequestHeadersEvent> = {}, cookies = this.jar.header()): RequestHeadersEvent {
    this.#events += 1;
    const headers = ['host', 'app.example', ...cookies, ...(members.headers ?? [])];
    return headersEvent(`c-${this.#events}`, { uri, ...members, headers });
  }

  async begin(uri = '/reports?year=2026'): Promise<AgentAnswer> {
    return this.#taken(await this.singleSignOn.begin(this.event(uri), returnTarget(uri)));
  }

  async get(uri: string): Promise<AgentAnswer> {
    return this.#taken(await this.singleSignOn.answer(this.event(uri), pathOf(uri), neverCancelled));
  }

  /** Posts a form to a path, as browsers do. */
  async post(uri: string, fields: Readonly<Record<string, string>>, cookies = this.jar.header()): Promise<AgentAnswer> {
    return this.postOctets(uri, new TextEncoder().encode(new URLSearchParams(fields).toString()), cookies);
  }

  async postOctets(
    uri: string,
    form: Uint8Array,
    cookies = this.jar.header(),
    cancellation: Cancellation = neverCancelled,
  ): Promise<AgentAnswer> {
    const headers = ['content-type', 'application/x-www-form-urlencoded', 'content-length', String(form.length)];
    const event = this.event(uri, { method: 'POST', headers }, cookies);
    const first = await this.singleSignOn.answer(event, pathOf(uri), cancellation);
    if (!first.needsMore) return this.#taken(first);
    return this.#taken(await this.singleSignOn.answerForm(event, pathOf(uri), form, cancellation));
  }

  /** From the redirect to the identity provider to its answer, which the browser posts. */
  async signOn(uri?: string, assertion: Partial<Assertion> = {}): Promise<AgentAnswer> {
    const relayState = await this.await(uri, assertion);
    return this.post('/saml/acs', { SAMLResponse: postedDocument, RelayState: relayState });
  }

  /** Begins, and has the verifier find a good answer; the RelayState. */
  async await(uri?: string, assertion: Partial<Assertion> = {}): Promise<string> {
    const location = locationOf(await this.begin(uri));
    const request = [...this.requests.held.values()].at(-1);
    this.verifier.response = { ok: true, value: this.response(request?.requestId ?? null, assertion) };
    return location.searchParams.get('RelayState') as string;
  }

  /** A good answer to a request. */
  response(inResponseTo: string | null, members: Partial<Assertion> = {}): VerifiedResponse {
    const nowMs = this.clock.wallMs();
    const { acsUrl, entityId } = this.options;
    const assertion: Assertion = {
      id: `_assertion-${randomUUID()}`,
      issuer: 'https://idp.example',
      issueInstantMs: nowMs,
      nameId,
      confirmations: [
        {
          method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
          data: { recipient: acsUrl, inResponseTo, notBeforeMs: null, notOnOrAfterMs: nowMs + 60_000 },
        },
      ],
      conditions: {
        notBeforeMs: nowMs,
        notOnOrAfterMs: nowMs + 60_000,
        audienceRestrictions: [[entityId]],
        oneTimeUse: false,
        unknown: false,
      },
      authentication: [
        { authnInstantMs: nowMs, sessionIndex: 'index-1', sessionNotOnOrAfterMs: null, contextClass: null },
      ],
      attributes: [{ name: 'mail', values: ['ann@example.com'] }],
      ...members,
    };
    return {
      head: {
        id: `_response-${randomUUID()}`,
        issuer: 'https://idp.example',
        issueInstantMs: nowMs,
        destination: acsUrl,
        inResponseTo,
        statusCodes: ['urn:oasis:names:tc:SAML:2.0:status:Success'],
        isSigned: true,
      },
      assertion,
    };
  }

  /** A LogoutRequest that names ann. */
  logoutRequest(members: Partial<LogoutRequest> = {}): LogoutRequest {
    return {
      id: `_logout-${randomUUID()}`,
      issuer: 'https://idp.example',
      issueInstantMs: this.clock.wallMs(),
      destination: 'https://app.example/saml/logout',
      notOnOrAfterMs: null,
      nameId,
      sessionIndexes: ['index-1'],
      ...members,
    };
  }

  logoutResponse(inResponseTo: string | null, members: Partial<LogoutResponse> = {}): LogoutResponse {
    return {
      id: `_answer-${randomUUID()}`,
      issuer: 'https://idp.example',
      destination: 'https://app.example/saml/logout',
      inResponseTo,
      statusCodes: ['urn:oasis:names:tc:SAML:2.0:status:Success'],
      isSigned: true,
      ...members,
    };
  }

  sessionCookie(): string | undefined {
    return this.jar.cookies.get(this.cookie.name);
  }

  /** Log lines as `level message reason`. */
  log(): readonly string[] {
    return this.logger.lines.map(({ level, message, fields }) =>
      [level, message, ...(typeof fields['reason'] === 'string' ? [fields['reason']] : [])].join(' '),
    );
  }

  /**
   * What must hold whatever happened: no secret in a log line, none in an answer but where it belongs, no reason told
   * to a client, every answer well-formed and kept by no cache. The faults that are found.
   */
  faults(): readonly string[] {
    const log = JSON.stringify(this.logger.lines);
    const secrets = [...this.tokens, postedDocument, decryptionKey.reveal()];
    const inLog = secrets.filter((secret) => log.includes(secret)).map((secret) => `in the log: ${secret}`);
    const inAnswers = this.answers.flatMap((answer) => {
      const { decision, responseHeaders, audit } = answer;
      const shown = decision.kind === 'block' ? `${decision.body}${decision.headers.join()}` : '';
      const everywhere = `${shown}${JSON.stringify(audit)}${JSON.stringify(answer.requestHeaders)}`;
      const told = this.refusals.filter((reason) => shown.includes(reason) && !/overloaded|form/.test(reason));
      const isKept = !responseHeaders.some((operation) => operation.kind === 'set' && operation.value === 'no-store');
      return [
        ...secrets.filter((secret) => everywhere.includes(secret)).map((secret) => `in an answer: ${secret}`),
        ...told.map((reason) => `told: ${reason}`),
        ...(isKept && !answer.needsMore ? ['an answer that caches keep'] : []),
        ...[answerFault(answer, this.event('/'))].filter((fault) => fault !== null),
      ];
    });
    return [...inLog, ...inAnswers];
  }

  #taken(answer: AgentAnswer): AgentAnswer {
    this.answers.push(answer);
    this.jar.take(answer);
    return answer;
  }

  #token(): string {
    const token = randomBytes(32).toString('base64url');
    this.tokens.push(token);
    return token;
  }
}

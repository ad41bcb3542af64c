import type { OidcLoginOptions } from '../../../domain/agent/configuration/oidc-login-options.js';
import { providerOfLogin } from '../../../domain/agent/oidc/session-of-id-token.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { AgentEndpoint } from '../agent-service/agent-endpoints.js';
import type { KeySetLease } from '../keys/key-sets.js';
import type { ProviderLease } from '../sign-on/oidc/discovery/provider-endpoint-registry.js';
import { OidcEndpoints } from '../sign-on/oidc/oidc-endpoints.js';
import { OidcLogin } from '../sign-on/oidc/oidc-login.js';
import { OidcLogoutEndpoints } from '../sign-on/oidc/oidc-logout-endpoints.js';
import type { LoginServices } from '../sign-on/oidc/oidc-sign-on-options.js';
import type { ClientCredential } from '../sign-on/oidc/provider-token-endpoint.js';
import { RefreshedSessions } from '../sign-on/oidc/refreshed-sessions.js';
import { SessionRefreshes } from '../sign-on/oidc/session-refreshes.js';
import { SignOnAllowance } from '../sign-on/shared/sign-on-allowance.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { optionProblem } from './option-problem.js';
import type { PreparedSessions } from './prepared-sessions.js';

interface LeasedLogin {
  readonly options: OidcLoginOptions;
  readonly provider: ProviderLease;
  readonly keys: KeySetLease;
}

/** The logins of one configuration. Their key sets and endpoints are kept fresh until release. */
export class PreparedLogins {
  readonly ways: readonly OidcLogin[];
  readonly endpoints: readonly AgentEndpoint[];
  readonly loginPaths: readonly string[];
  /** The sessions of all ways to sign on; those of logins have fresh tokens. */
  readonly sessions: RefreshedSessions;
  readonly #refreshes: SessionRefreshes;
  readonly #leased: readonly LeasedLogin[];

  /** @param credentials those of the logins, in their order */
  constructor(
    logins: readonly OidcLoginOptions[],
    credentials: readonly ClientCredential[],
    prepared: PreparedSessions,
    { keySets, oidc, random, digest, clock, scheduler, logger, outcomes }: AgentProcessServices,
  ) {
    this.#leased = logins.map((options) => {
      const { issuer, endpoints, jwksUrl, algorithms, jwksRefreshMs } = options;
      const location =
        jwksUrl === null ? ({ kind: 'issuer', issuer } as const) : ({ kind: 'url', url: jwksUrl } as const);
      return {
        options,
        provider: oidc.providers.acquire({ issuer, endpoints }),
        keys: keySets.acquire({ location, algorithms }, jwksRefreshMs),
      };
    });
    const services: LoginServices = {
      cookies: prepared.cookies,
      signOut: prepared.signOut,
      sessions: prepared.sessions,
      sessionTtlMs: prepared.options.ttlMs,
      cookieDomain: prepared.options.cookie.domain,
      returnOrigins: prepared.returnOrigins,
      requests: prepared.stores.requests,
      replays: prepared.stores.replays,
      stepUp: prepared.stepUp,
      allowance: new SignOnAllowance(clock),
      endpoints: oidc.endpoints,
      hashes: oidc.hashes,
      secrets: oidc.secrets,
      random,
      digest,
      clock,
      scheduler,
      logger,
      outcomes,
    };
    this.ways = this.#leased.map(
      ({ options, provider, keys }, index) =>
        new OidcLogin({
          ...services,
          options,
          credential: credentials[index] ?? { kind: 'public' },
          provider: provider.provider,
          keys: keys.keys,
        }),
    );
    for (const way of this.ways) prepared.signOut.add(way);
    this.endpoints = [new OidcEndpoints(this.ways, services), new OidcLogoutEndpoints(this.ways, services)];
    this.loginPaths = logins.map(({ loginPath }) => loginPath);
    const evict = (idHash: string): void => prepared.evict(idHash);
    const store = prepared.stores.sessions;
    this.#refreshes = new SessionRefreshes({ store, evict, clock, scheduler, random, logger, outcomes });
    this.sessions = new RefreshedSessions({
      sessions: prepared.sessions,
      refreshes: this.#refreshes,
      evict,
      logins: new Map(this.ways.map((login) => [login.provider, login])),
      clock,
      scheduler,
    });
    const providers = new Set(logins.map(providerOfLogin));
    prepared.acceptProviders('oidc', (provider) => providers.has(provider));
  }

  /** Resolves when endpoints and keys of all providers were fetched or failed. */
  async firstLoad(): Promise<void> {
    await Promise.all(
      this.#leased.flatMap(({ provider, keys }) => [provider.provider.firstLoad(), keys.keys.firstLoad()]),
    );
  }

  /** Problems of the providers, a clause each. */
  troubles(): readonly string[] {
    return this.#leased.flatMap(({ options: { name }, provider: { provider }, keys: { keys } }) => {
      const reason = (failure: string | null) => (failure === null ? '' : ` (${failure})`);
      return [
        ...(provider.current() === null
          ? [`login "${name}": the endpoints of the provider are unknown${reason(provider.lastFailure())}`]
          : []),
        ...(keys.state() === 'fresh'
          ? []
          : [`login "${name}": the keys of the provider are ${keys.state()}${reason(keys.lastFailure())}`]),
      ];
    });
  }

  /** Warns of providers that are not known yet. They are fetched until they are. */
  warnings(): readonly AgentOptionProblem[] {
    return this.troubles().map((trouble) =>
      optionProblem('warning', 'oidc-login', `${trouble}, so sign-ons fail until they are fetched`),
    );
  }

  /** Calls the listener when a provider becomes known or its keys change state. The result unsubscribes it. */
  onChange(listener: () => void): () => void {
    const ends = this.#leased.flatMap(({ provider, keys }) => [
      provider.provider.onChange(listener),
      keys.keys.onChange(listener),
    ]);
    return () => {
      for (const end of ends) end();
    };
  }

  /** Resolves when no refresh is running, which may take some seconds. Idempotent. Never rejects. */
  async release(): Promise<void> {
    await this.#refreshes.stop();
    for (const { provider, keys } of this.#leased) {
      provider.release();
      keys.release();
    }
  }
}

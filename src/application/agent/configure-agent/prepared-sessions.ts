import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import { withCommonMapping } from '../../../domain/agent/configuration/claim-option-rules.js';
import type { MappedAttribute } from '../../../domain/agent/configuration/saml-options.js';
import type { SignOnSessionOptions } from '../../../domain/agent/configuration/sessions-options.js';
import { providerOfLogin } from '../../../domain/agent/oidc/session-of-id-token.js';
import { samlProviderName } from '../../../domain/agent/saml/session-of-assertion.js';
import type { SignOnMethod } from '../../../domain/agent/sessions/session.js';
import { sessionIdentity } from '../../../domain/agent/sessions/session-identity.js';
import { AllowedOrigins } from '../../../domain/http/allowed-origins.js';
import type { SessionCounts, SessionStore } from '../../ports/agent/session-store.js';
import type { SessionStores } from '../../ports/agent/session-stores.js';
import { IdentityPreparation } from '../authenticate/prepared-identity.js';
import { AdministerSessions } from '../sessions/administer-sessions.js';
import { ExpireSessions } from '../sessions/expire-sessions.js';
import type { SessionStoreLease } from '../sessions/session-store-leases.js';
import { Sessions } from '../sessions/sessions.js';
import { StepUpRules } from '../sessions/step-up-rules.js';
import { ownerMarkOf, ownerSalt } from '../sign-on/kept-forms/kept-form-services.js';
import { accessToken } from '../sign-on/oidc/session-tokens.js';
import { type OwnerMark, SignOnCookies } from '../sign-on/shared/sign-on-cookies.js';
import { SignOut } from '../sign-on/shared/sign-out.js';
import type { AgentProcessServices } from './agent-process-services.js';

/** The numbers of sessions, by method, at the previous query. Each query starts a new count. */
class SessionCount {
  readonly #store: Pick<SessionStore, 'countByMethod'>;
  #count: SessionCounts | null = null;
  #isCounting = false;

  constructor(store: Pick<SessionStore, 'countByMethod'>) {
    this.#store = store;
    this.#recount();
  }

  /** Null until counted, and while the store is unavailable. */
  latest(): SessionCounts | null {
    this.#recount();
    return this.#count;
  }

  #recount(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    void this.#store.countByMethod().then((counted) => {
      this.#isCounting = false;
      this.#count = counted.ok ? counted.value : null;
    });
  }
}

/**
 * The sessions of one configuration, which all its ways to sign on share: one store, one cookie. It maintains them until
 * released.
 */
export class PreparedSessions {
  readonly options: SignOnSessionOptions;
  readonly sessions: Sessions;
  readonly cookies: SignOnCookies;
  /** Each way to sign on adds itself. */
  readonly signOut: SignOut;
  readonly count: SessionCount;
  /** Valid until release. */
  readonly administration: AdministerSessions;
  /** The origins to which a browser may return after a sign-on. */
  readonly returnOrigins: AllowedOrigins;
  /** What pages require of the sessions. */
  readonly stepUp: StepUpRules;
  /** Valid until release. */
  readonly stores: Pick<SessionStores, 'sessions' | 'requests' | 'replays' | 'forms'>;
  readonly #lease: SessionStoreLease;
  readonly #expiry: ExpireSessions;
  readonly #providers = new Map<SignOnMethod, (provider: string) => boolean>();
  #released: Promise<void> | null = null;

  constructor(
    options: SignOnSessionOptions,
    complete: CompleteAgentOptions,
    lease: SessionStoreLease,
    { clock, scheduler, logger, digest, oidc: { secrets } }: AgentProcessServices,
  ) {
    const { stores, state, known } = lease;
    const { maxClaimBytes, saml, oidcLogins } = complete;
    const names = {
      userId: complete.userIdHeader,
      authMethod: complete.authMethodHeader,
      forwardedClaims: complete.forwardClaims,
    };
    const preparation = (own: readonly MappedAttribute[]) =>
      new IdentityPreparation(names, maxClaimBytes, logger, clock, withCommonMapping(own, complete.claimMapping));
    const ofSaml = preparation(saml?.attributeMapping ?? []);
    const ofLogins = new Map(
      oidcLogins.map((login) => [providerOfLogin(login), preparation(login.claimMapping)] as const),
    );
    const forwarding = new Set(oidcLogins.filter((login) => login.forwardsAccessToken).map(providerOfLogin));
    this.options = options;
    this.stores = stores;
    this.#lease = lease;
    const mark: OwnerMark = (sessionId, owner) => ownerMarkOf(digest, ownerSalt(digest, sessionId), owner);
    this.cookies = new SignOnCookies(options.cookie, options.keepsPostedForms ? mark : null);
    this.returnOrigins = new AllowedOrigins(options.returnOrigins);
    this.stepUp = new StepUpRules({
      required: complete.requiredPaths,
      clockSkewsMs: new Map([
        ...(saml === null ? [] : [[samlProviderName, saml.clockSkewMs] as const]),
        ...oidcLogins.map(({ name, clockSkewMs }) => [name, clockSkewMs] as const),
      ]),
      digest,
      clock,
    });
    this.sessions = new Sessions({
      store: stores.sessions,
      known,
      clock,
      scheduler,
      digest,
      prepare: (session, sessionId) => {
        const isOidc = session.method === 'oidc';
        const ofLogin = isOidc ? ofLogins.get(session.provider) : undefined;
        const token = isOidc && forwarding.has(session.provider) ? accessToken(secrets, sessionId, session) : null;
        const own = token === null ? [] : [{ kind: 'set', name: 'Authorization', value: `Bearer ${token}` } as const];
        return (ofLogin ?? ofSaml).prepare(sessionIdentity(session), own);
      },
      idleMs: options.idleMs,
      accepts: ({ method, provider }) => this.#providers.get(method)?.(provider) === true,
    });
    this.signOut = new SignOut({ cookies: this.cookies, sessions: this.sessions, logger });
    this.administration = new AdministerSessions(lease, clock, options.idleMs);
    this.count = new SessionCount(stores.sessions);
    this.#expiry = new ExpireSessions({
      stores,
      state,
      clock,
      scheduler,
      logger,
      intervalMs: options.cleanupIntervalMs,
      idleMs: options.idleMs,
    });
    this.#expiry.start();
  }

  /** Makes this process ask the store for a session again. */
  evict(idHash: string): void {
    this.#lease.known.ended(idHash);
  }

  /** Why the session store is unavailable, one clause; null if it is available. */
  get storeFailure(): string | null {
    return this.#lease.state.failure;
  }

  /** Whether other processes share the store. */
  get isShared(): boolean {
    return this.options.store.kind !== 'memory';
  }

  /**
   * Accepts the sessions of a method from these identity providers. Until the call, and without one, all sessions of the
   * method are invalid. Call once per method.
   */
  acceptProviders(method: SignOnMethod, isAccepted: (provider: string) => boolean): void {
    this.#providers.set(method, isAccepted);
  }

  /** Calls the listener when the session store fails or works again. The result unsubscribes it. */
  onChange(listener: () => void): () => void {
    return this.#lease.state.onChange(listener);
  }

  /** Writes pending data, and releases the stores. Idempotent. Never rejects. */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<void> {
    await Promise.all([this.#expiry.stop(), this.sessions.stop()]);
    await this.#lease.release();
  }
}

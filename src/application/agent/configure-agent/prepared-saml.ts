import { type CompleteAgentOptions, secretHeaders } from '../../../domain/agent/configuration/agent-option-rules.js';
import { optionProblemText } from '../../../domain/agent/configuration/option-report.js';
import type { SamlOptions } from '../../../domain/agent/configuration/saml-options.js';
import type { IdentityProvider } from '../../../domain/agent/saml/identity-provider.js';
import { sessionIdentity } from '../../../domain/agent/sessions/session-identity.js';
import type { HeaderOperation } from '../../../domain/agent-protocol/messages.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { withoutCookies } from '../../../domain/http/cookies.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import { type CertificateDates, earliestExpiries } from '../../../domain/shared/certificate-dates.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { SamlKeys } from '../../ports/agent/saml-keys.js';
import type { SessionStore } from '../../ports/agent/session-store.js';
import type { Logger } from '../../ports/shared/logger.js';
import { IdentityPreparation } from '../authenticate/prepared-identity.js';
import { SamlSubjectTokens, type SamlSubjectTokensOptions } from '../exchange-token/saml-subject-tokens.js';
import { ExpireSessions } from '../sessions/expire-sessions.js';
import type { SessionStoreLease } from '../sessions/session-store-leases.js';
import { Sessions } from '../sessions/sessions.js';
import { bindingCookiePrefix } from '../sign-on/saml/sign-on-cookies.js';
import { SingleSignOn } from '../sign-on/saml/single-sign-on.js';
import type { IdentityProviderTrust } from '../sign-on/saml/trust/identity-provider-trust.js';
import type { TrustLease } from '../sign-on/saml/trust/identity-provider-trusts.js';
import { VerificationShares } from '../sign-on/saml/verification-shares.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { optionProblem } from './option-problem.js';
import type { SamlFiles } from './saml-files.js';
import type { WarmUp } from './warm-up.js';

const unmet = optionProblem(
  'warning',
  'saml',
  'the identity provider requires signed requests (WantAuthnRequestsSigned), and sp-key-file is not set: it will refuse sign-ons',
  { key: 'sp-key-file' },
);

/** Warns if the identity provider requires signed requests and no key is configured. */
export class SigningDemand {
  readonly #trust: Pick<IdentityProviderTrust, 'current' | 'onChange'>;
  readonly #hasKey: boolean;
  readonly #logger: Pick<Logger, 'warn'>;
  #wants = false;
  #end: () => void = () => undefined;

  constructor(
    trust: Pick<IdentityProviderTrust, 'current' | 'onChange'>,
    hasKey: boolean,
    logger: Pick<Logger, 'warn'>,
  ) {
    this.#trust = trust;
    this.#hasKey = hasKey;
    this.#logger = logger;
  }

  /** The current warnings. Later metadata that requires signatures is logged. Call once. */
  begin(): AgentOptionProblem[] {
    if (this.#hasKey) return [];
    this.#end = this.#trust.onChange(() => {
      if (this.#begins()) this.#logger.warn(optionProblemText(unmet));
    });
    return this.#begins() ? [unmet] : [];
  }

  stop(): void {
    this.#end();
  }

  /** While the provider is unknown, its previous requirement applies. */
  #begins(): boolean {
    const before = this.#wants;
    this.#wants = this.#trust.current()?.wantsSignedRequests ?? before;
    return this.#wants && !before;
  }
}

/** The number of sessions at the previous query. Each query starts a new count. */
class SessionCount {
  readonly #store: Pick<SessionStore, 'count'>;
  #count: number | null = null;
  #isCounting = false;

  constructor(store: Pick<SessionStore, 'count'>) {
    this.#store = store;
    this.#recount();
  }

  /** Null until counted, and while the store is unavailable. */
  latest(): number | null {
    this.#recount();
    return this.#count;
  }

  #recount(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    void this.#store.count().then((counted) => {
      this.#isCounting = false;
      this.#count = counted.ok ? counted.value : null;
    });
  }
}

/** Maximum certificates in the report; of more, the first ones to expire are reported. */
const maxReportedCertificates = 64;

/**
 * The certificates of single sign-on: of the service provider, of the signer of metadata, and of the identity provider
 * as currently known.
 */
export class SamlCertificates {
  readonly #own: readonly string[];
  readonly #trust: Pick<IdentityProviderTrust, 'current'>;
  readonly #keys: Pick<SamlKeys, 'certificateDates'>;
  #provider: IdentityProvider | null = null;
  #dates: readonly CertificateDates[];

  constructor(
    { key, certificates }: SamlFiles,
    trust: Pick<IdentityProviderTrust, 'current'>,
    keys: Pick<SamlKeys, 'certificateDates'>,
  ) {
    this.#own = [...(key === null ? [] : [key.certificate]), ...certificates.map(({ der }) => der)];
    this.#trust = trust;
    this.#keys = keys;
    this.#dates = this.#read(null);
  }

  /** One entry per subject. */
  current(): readonly CertificateDates[] {
    const provider = this.#trust.current();
    if (provider !== this.#provider) {
      this.#provider = provider;
      this.#dates = this.#read(provider);
    }
    return this.#dates;
  }

  #read(provider: IdentityProvider | null): readonly CertificateDates[] {
    const ders = new Set([...this.#own, ...(provider?.signingCertificates ?? [])]);
    const dates = Array.from(ders, (der) => this.#keys.certificateDates(der)).filter((each) => each !== null);
    return earliestExpiries(dates, maxReportedCertificates);
  }
}

export interface SamlLeases {
  readonly stores: SessionStoreLease;
  readonly trust: TrustLease;
}

/** Single sign-on of one configuration. It maintains its sessions until released. */
export class PreparedSaml {
  readonly signOn: SingleSignOn;
  readonly sessions: Sessions;
  readonly sessionCount: SessionCount;
  readonly signingDemand: SigningDemand;
  readonly certificates: SamlCertificates;
  /** Shared by sign-on and token exchange: a message accepted by one is refused by the other. */
  readonly replays: Pick<ReplayStore, 'remember'>;
  /** The same, if other processes share the store; null: a memory store. */
  readonly sharedReplays: Pick<ReplayStore, 'remember'> | null;
  readonly #exchange: Omit<SamlSubjectTokensOptions, 'endpointUrl' | 'oneTime'>;
  readonly #leases: SamlLeases;
  readonly #warmUp: WarmUp;
  readonly #expiry: ExpireSessions;
  readonly #cookieName: string;
  readonly #bindingPrefix: string;
  #released: Promise<void> | null = null;

  constructor(
    options: SamlOptions,
    complete: CompleteAgentOptions,
    files: SamlFiles,
    leases: SamlLeases,
    warmUp: WarmUp,
    { clock, scheduler, logger, digest, outcomes, saml: { random, verifier, keys } }: AgentProcessServices,
  ) {
    const { key } = files;
    const { stores, state, known } = leases.stores;
    const { trust } = leases.trust;
    const { userIdHeader: userId, authMethodHeader: authMethod, maxClaimBytes } = complete;
    const names = { userId, authMethod };
    const preparation = new IdentityPreparation(names, maxClaimBytes, logger, clock, options.attributeMapping);
    const shares = new VerificationShares();
    this.replays = stores.replays;
    this.sharedReplays = options.store.kind === 'memory' ? null : stores.replays;
    this.#exchange = { options, key, trust, verifier, digest, clock, shares };
    this.#leases = leases;
    this.#warmUp = warmUp;
    this.#cookieName = options.cookie.name;
    this.#bindingPrefix = bindingCookiePrefix(options.cookie.name);
    this.sessions = new Sessions({
      store: stores.sessions,
      known,
      clock,
      scheduler,
      digest,
      prepare: (session) => preparation.prepare(sessionIdentity(session)),
      idleMs: options.sessionIdleMs,
      // Without metadata, the configured entity id still selects the valid sessions.
      provider: () => trust.current()?.entityId ?? options.identityProvider.entityId,
    });
    this.signOn = new SingleSignOn({
      options,
      secretHeaders: secretHeaders(complete).map(({ name }) => name),
      key,
      keys,
      trust,
      verifier,
      shares,
      sessions: this.sessions,
      requests: stores.requests,
      replays: stores.replays,
      random,
      digest,
      clock,
      logger,
      outcomes,
    });
    this.signingDemand = new SigningDemand(trust, key !== null, logger);
    this.certificates = new SamlCertificates(files, trust, keys);
    this.sessionCount = new SessionCount(stores.sessions);
    this.#expiry = new ExpireSessions({
      stores,
      state,
      clock,
      scheduler,
      logger,
      intervalMs: options.cleanupIntervalMs,
      idleMs: options.sessionIdleMs,
    });
    this.#expiry.start();
  }

  get trust(): IdentityProviderTrust {
    return this.#leases.trust.trust;
  }

  /** Why the session store is unavailable, one clause; null if it is available. */
  get storeFailure(): string | null {
    return this.#leases.stores.state.failure;
  }

  /** Whether the verifier is still warming up: a sign-on may take longer. */
  get isWarmingUp(): boolean {
    return !this.#warmUp.isDone;
  }

  /** The verifier of SAML tokens for a token endpoint. Valid until release. */
  samlSubjectTokens(endpointUrl: string, oneTime: boolean): SamlSubjectTokens {
    return new SamlSubjectTokens({ ...this.#exchange, endpointUrl, oneTime });
  }

  /**
   * Calls the listener when the identity provider, the session store or the verifier changes state. The result
   * unsubscribes it.
   */
  onChange(listener: () => void): () => void {
    const ends = [
      this.trust.onChange(listener),
      this.#leases.stores.state.onChange(listener),
      this.#warmUp.onDone(listener),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Removes the cookies of single sign-on from a request. */
  cookieOperations(headers: HeaderList): readonly HeaderOperation[] {
    const isOurs = (name: string) => name === this.#cookieName || name.startsWith(this.#bindingPrefix);
    return withoutCookies(headers, isOurs) ?? [];
  }

  /** Writes pending data, and releases stores and metadata. Idempotent. Never rejects. */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<void> {
    this.signingDemand.stop();
    this.#leases.trust.release();
    await Promise.all([this.#expiry.stop(), this.sessions.stop()]);
    await this.#leases.stores.release();
  }
}

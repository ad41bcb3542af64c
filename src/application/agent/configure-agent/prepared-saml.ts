import { optionProblemText } from '../../../domain/agent/configuration/option-report.js';
import type { SamlOptions } from '../../../domain/agent/configuration/saml-options.js';
import type { IdentityProvider } from '../../../domain/agent/saml/identity-provider.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { type CertificateDates, earliestExpiries } from '../../../domain/shared/certificate-dates.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { SamlKeys } from '../../ports/agent/saml-keys.js';
import type { Logger } from '../../ports/shared/logger.js';
import { SamlSubjectTokens, type SamlSubjectTokensOptions } from '../exchange-token/saml-subject-tokens.js';
import { SingleSignOn } from '../sign-on/saml/single-sign-on.js';
import type { IdentityProviderTrust } from '../sign-on/saml/trust/identity-provider-trust.js';
import type { TrustLease } from '../sign-on/saml/trust/identity-provider-trusts.js';
import { VerificationShares } from '../sign-on/saml/verification-shares.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { optionProblem } from './option-problem.js';
import type { PreparedSessions } from './prepared-sessions.js';
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

/** SAML single sign-on of one configuration. */
export class PreparedSaml {
  readonly signOn: SingleSignOn;
  readonly signingDemand: SigningDemand;
  readonly certificates: SamlCertificates;
  /** Shared by sign-on and token exchange: a message accepted by one is refused by the other. */
  readonly replays: Pick<ReplayStore, 'remember'>;
  /** The same, if other processes share the store; null: a memory store. */
  readonly sharedReplays: Pick<ReplayStore, 'remember'> | null;
  readonly #exchange: Omit<SamlSubjectTokensOptions, 'endpointUrl' | 'oneTime'>;
  readonly #trustLease: TrustLease;
  readonly #warmUp: WarmUp;

  constructor(
    options: SamlOptions,
    files: SamlFiles,
    sessions: PreparedSessions,
    trustLease: TrustLease,
    warmUp: WarmUp,
    { clock, logger, digest, random, outcomes, saml: { verifier, keys } }: AgentProcessServices,
  ) {
    const { key } = files;
    const { trust } = trustLease;
    const { requests, replays } = sessions.stores;
    const shares = new VerificationShares();
    this.replays = replays;
    this.sharedReplays = sessions.isShared ? replays : null;
    this.#exchange = { options, key, trust, verifier, digest, clock, shares };
    this.#trustLease = trustLease;
    this.#warmUp = warmUp;
    sessions.acceptProviders('saml', (provider) => {
      // Without metadata, the configured entity id still selects the valid sessions.
      const current = trust.current()?.entityId ?? options.identityProvider.entityId;
      return current === null || provider === current;
    });
    this.signOn = new SingleSignOn({
      options,
      key,
      keys,
      trust,
      verifier,
      shares,
      cookies: sessions.cookies,
      signOut: sessions.signOut,
      sessionTtlMs: sessions.options.ttlMs,
      returnOrigins: sessions.returnOrigins,
      sessions: sessions.sessions,
      stepUp: sessions.stepUp,
      requests,
      replays,
      random,
      digest,
      clock,
      logger,
      outcomes,
    });
    sessions.signOut.add(this.signOn);
    this.signingDemand = new SigningDemand(trust, key !== null, logger);
    this.certificates = new SamlCertificates(files, trust, keys);
  }

  get trust(): IdentityProviderTrust {
    return this.#trustLease.trust;
  }

  /** Whether the verifier is still warming up: a sign-on may take longer. */
  get isWarmingUp(): boolean {
    return !this.#warmUp.isDone;
  }

  /** The verifier of SAML tokens for a token endpoint. Valid until release. */
  samlSubjectTokens(endpointUrl: string, oneTime: boolean): SamlSubjectTokens {
    return new SamlSubjectTokens({ ...this.#exchange, endpointUrl, oneTime });
  }

  /** Calls the listener when the identity provider or the verifier changes state. The result unsubscribes it. */
  onChange(listener: () => void): () => void {
    const ends = [this.trust.onChange(listener), this.#warmUp.onDone(listener)];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Releases the metadata. The sessions are released separately. */
  release(): void {
    this.signingDemand.stop();
    this.#trustLease.release();
  }
}

import type { PolicyFiles } from '../../ports/agent/policy-files.js';
import type { TokenSigningKeys } from '../../ports/agent/token-signing-keys.js';
import type { VerificationKeys } from '../../ports/agent/token-verifier.js';
import type { CertificateFingerprints, CertificateReaderLoader } from '../../ports/shared/certificate-reader.js';
import type { ChangingFileReader } from '../../ports/shared/changing-file-reader.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';
import type { IntrospectionOutcomes } from '../authenticate/introspection-check.js';
import type { PasswordChecks } from '../authenticate/password-checks.js';
import type { ExchangeRates } from '../exchange-token/exchange-rates.js';
import type { ExchangeOutcomes } from '../exchange-token/exchange-record.js';
import type { AssertionMemory } from '../exchange-token/spent-assertions.js';
import type { KeySets } from '../keys/key-sets.js';
import type { OidcOutcomes } from '../sign-on/oidc/oidc-refusal.js';
import type { RefreshOutcomes } from '../sign-on/oidc/session-refreshes.js';
import type { SignOnOutcomes } from '../sign-on/saml/single-sign-on-options.js';
import type { OidcServices } from './oidc-services.js';
import type { SamlServices } from './saml-services.js';
import type { SessionServices } from './session-services.js';

/** The services of a process that all its agents use. */
export interface AgentProcessServices {
  /** Name of an embedded agent; null: the only agent of the process. */
  readonly name: string | null;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly digest: SecretDigest;
  readonly keys: VerificationKeys;
  readonly signingKeys: TokenSigningKeys;
  readonly files: TextFileReader;
  readonly changingFiles: ChangingFileReader;
  readonly policyFiles: PolicyFiles;
  /** The key sets of the process; equal specifications share one set. */
  readonly keySets: Pick<KeySets, 'acquire'>;
  readonly fingerprints: CertificateFingerprints;
  readonly loadCertificateReader: CertificateReaderLoader;
  /** The password checks of the process, with a common limit. */
  readonly passwords: PasswordChecks;
  /** The used client assertions of this agent. A reload does not clear them. */
  readonly spentAssertions: AssertionMemory;
  /** The rate limits of token exchange. */
  readonly exchangeRates: ExchangeRates;
  readonly random: Random;
  readonly sessions: SessionServices;
  readonly saml: SamlServices;
  readonly oidc: OidcServices;
  /** Counts the results of sign-ons, refreshes, token exchanges and introspections. */
  readonly outcomes: SignOnOutcomes & OidcOutcomes & RefreshOutcomes & ExchangeOutcomes & IntrospectionOutcomes;
}

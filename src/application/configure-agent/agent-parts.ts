import type { PasswordChecks } from '../authenticate-request/password-checks.js';
import type { AssertionMemory } from '../exchange-token/assertion-memory.js';
import type { ExchangeOutcomes } from '../exchange-token/exchange-facts.js';
import type { ExchangeRates } from '../exchange-token/exchange-rates.js';
import type { CertificateFingerprints, CertificateReaderLoader } from '../ports/certificate-reader.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { PolicyFiles } from '../ports/policy-files.js';
import type { Scheduler } from '../ports/scheduler.js';
import type { SecretDigest } from '../ports/secret-digest.js';
import type { TextFileReader } from '../ports/text-file-reader.js';
import type { TokenSigningKeys } from '../ports/token-signing-keys.js';
import type { VerificationKeys } from '../ports/token-verifier.js';
import type { KeySets } from '../refresh-key-set/key-sets.js';
import type { SignOnOutcomes } from '../single-sign-on/single-sign-on-parts.js';
import type { SamlParts } from './saml-parts.js';

/** What a configured agent is made with. */
export interface AgentParts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly digest: SecretDigest;
  readonly keys: VerificationKeys;
  readonly signingKeys: TokenSigningKeys;
  readonly files: TextFileReader;
  readonly policyFiles: PolicyFiles;
  /** The key sets of the process: two configurations that name one share it. */
  readonly keySets: Pick<KeySets, 'acquire'>;
  readonly fingerprints: CertificateFingerprints;
  readonly loadCertificateReader: CertificateReaderLoader;
  /** The checks of the process: what they cost together is bounded. */
  readonly passwords: PasswordChecks;
  /** The assertions of clients that this agent has taken: no reload makes one good again. */
  readonly spentAssertions: AssertionMemory;
  /** The rates of its token exchange. */
  readonly exchangeRates: ExchangeRates;
  readonly saml: SamlParts;
  /** Counts what sign-ons and token exchanges of this agent come to. */
  readonly outcomes: SignOnOutcomes & ExchangeOutcomes;
}

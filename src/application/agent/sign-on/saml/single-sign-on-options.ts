import type { SamlOptions } from '../../../../domain/agent/configuration/saml-options.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import type { AllowedOrigins } from '../../../../domain/http/allowed-origins.js';
import type { ReplayStore } from '../../../ports/agent/replay-store.js';
import type { SamlDocumentVerifier } from '../../../ports/agent/saml-document-verifier.js';
import type { SamlKeys, ServiceProviderKey } from '../../../ports/agent/saml-keys.js';
import type { Stored, SubjectSessions } from '../../../ports/agent/session-store.js';
import type { SignOnRequestStore } from '../../../ports/agent/sign-on-request-store.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Logger } from '../../../ports/shared/logger.js';
import type { Random } from '../../../ports/shared/random.js';
import type { SecretDigest } from '../../../ports/shared/secret-digest.js';
import type { StepUpRules } from '../../sessions/step-up-rules.js';
import type { SignOnCookies } from '../shared/sign-on-cookies.js';
import type { SignOut } from '../shared/sign-out.js';
import type { SignOnRefusal } from './sign-on-refusal.js';
import type { IdentityProviderTrust } from './trust/identity-provider-trust.js';
import type { VerificationShares } from './verification-shares.js';

/** The sessions, as single sign-on uses them. The implementation evicts ended sessions from its caches. */
export interface SignOnSessions {
  /** Succeeds after the store has saved the session. */
  open(session: Session): Stored<void>;
  /** Whether the session of this hash is active. Does not count as a use. */
  isActive(idHash: string): Stored<boolean>;
  /** Ends the session of a cookie; null: there was none. */
  end(sessionId: string): Stored<Session | null>;
  /** Returns the hashes of the ended sessions. */
  endOfSubject(subject: SubjectSessions): Stored<readonly string[]>;
}

/** Counts the results of sign-ons. */
export interface SignOnOutcomes {
  completed(): void;
  refused(reason: SignOnRefusal): void;
}

export interface SingleSignOnOptions {
  readonly options: SamlOptions;
  /** Shared with the other ways to sign on. */
  readonly cookies: SignOnCookies;
  /** Likewise. */
  readonly signOut: Pick<SignOut, 'signOut'>;
  readonly sessionTtlMs: number;
  /** The origins to which a browser may return, besides paths of the same host. */
  readonly returnOrigins: Pick<AllowedOrigins, 'has'>;
  /** Null: requests are not signed, and encrypted documents cannot be read. */
  readonly key: ServiceProviderKey | null;
  readonly keys: Pick<SamlKeys, 'deflate' | 'encode' | 'digest'>;
  /** The identity provider. */
  readonly trust: Pick<IdentityProviderTrust, 'current' | 'hurry'>;
  readonly verifier: Pick<SamlDocumentVerifier, 'verifyResponse' | 'verifyLogoutRequest' | 'verifyLogoutResponse'>;
  /** Shared with all verifications for clients. */
  readonly shares: VerificationShares;
  readonly sessions: SignOnSessions;
  /** What pages require of sessions. */
  readonly stepUp: Pick<StepUpRules, 'requirementFor' | 'pageHash'>;
  readonly requests: Pick<SignOnRequestStore, 'insert' | 'find' | 'take'>;
  readonly replays: Pick<ReplayStore, 'has' | 'remember'>;
  readonly random: Pick<Random, 'uuid' | 'token'>;
  readonly digest: Pick<SecretDigest, 'sha256Hex' | 'equal'>;
  readonly clock: Pick<Clock, 'wallMs' | 'monotonicMs'>;
  readonly logger: Logger;
  readonly outcomes: SignOnOutcomes;
}

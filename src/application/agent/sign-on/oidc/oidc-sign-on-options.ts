import type { OidcLoginOptions } from '../../../../domain/agent/configuration/oidc-login-options.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import type { AllowedOrigins } from '../../../../domain/http/allowed-origins.js';
import type { ProviderEndpoints, TokenHashes } from '../../../ports/agent/provider-endpoints.js';
import type { ReplayStore } from '../../../ports/agent/replay-store.js';
import type { SessionSecrets } from '../../../ports/agent/session-secrets.js';
import type { Stored, SubjectSessions } from '../../../ports/agent/session-store.js';
import type { SignOnRequestStore } from '../../../ports/agent/sign-on-request-store.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Logger } from '../../../ports/shared/logger.js';
import type { Random } from '../../../ports/shared/random.js';
import type { Scheduler } from '../../../ports/shared/scheduler.js';
import type { SecretDigest } from '../../../ports/shared/secret-digest.js';
import type { KeySet } from '../../keys/key-set.js';
import type { StepUpRules } from '../../sessions/step-up-rules.js';
import type { SignOnAllowance } from '../shared/sign-on-allowance.js';
import type { SignOnCookies } from '../shared/sign-on-cookies.js';
import type { SignOut } from '../shared/sign-out.js';
import type { ProviderEndpointLookup } from './discovery/provider-endpoint-lookup.js';
import type { OidcOutcomes } from './oidc-refusal.js';
import type { ClientCredential } from './provider-token-endpoint.js';

/** The sessions, as a sign-on uses them. */
export interface LoginSessions {
  /** Succeeds after the store has saved the session. */
  open(session: Session): Stored<void>;
  /** Whether the session of this hash is active. Does not count as a use. */
  isActive(idHash: string): Stored<boolean>;
  /** Ends the session of a cookie; null: there was none. */
  end(sessionId: string): Stored<Session | null>;
  /** Ends the sessions that a provider names; the hashes of their ids. */
  endOfSubject(subject: SubjectSessions): Stored<readonly string[]>;
}

/** What all logins of an agent share. */
export interface LoginServices {
  readonly cookies: SignOnCookies;
  readonly signOut: Pick<SignOut, 'signOut'>;
  readonly sessions: LoginSessions;
  readonly sessionTtlMs: number;
  /** In lower case; null: sessions of one host. */
  readonly cookieDomain: string | null;
  /** The origins to which a browser may return, besides paths of the same host. */
  readonly returnOrigins: Pick<AllowedOrigins, 'has'>;
  readonly requests: Pick<SignOnRequestStore, 'insert' | 'find' | 'take'>;
  readonly replays: Pick<ReplayStore, 'has' | 'remember'>;
  /** What pages require of sessions. */
  readonly stepUp: Pick<StepUpRules, 'requirementFor' | 'pageHash'>;
  readonly allowance: Pick<SignOnAllowance, 'take'>;
  readonly endpoints: ProviderEndpoints;
  readonly hashes: TokenHashes;
  readonly secrets: SessionSecrets;
  readonly random: Pick<Random, 'uuid' | 'token'>;
  readonly digest: Pick<SecretDigest, 'sha256Hex' | 'equal'>;
  readonly clock: Clock;
  readonly scheduler: Pick<Scheduler, 'after'>;
  readonly logger: Logger;
  readonly outcomes: OidcOutcomes;
}

/** One login. */
export interface PreparedLogin extends LoginServices {
  readonly options: OidcLoginOptions;
  readonly credential: ClientCredential;
  readonly provider: ProviderEndpointLookup;
  readonly keys: KeySet;
}

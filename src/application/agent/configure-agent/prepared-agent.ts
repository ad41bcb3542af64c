import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { AllowedOrigins } from '../../../domain/http/allowed-origins.js';
import type { OwnedHeaders } from '../../../domain/http/owned-headers.js';
import type { AgentEndpoints } from '../agent-service/agent-endpoints.js';
import type { ProtectedResources } from '../agent-service/protected-resources.js';
import type { AuthenticateRequest } from '../authenticate/authenticate-request.js';
import type { AuthorizeRequest } from '../authorize/authorize-request.js';
import type { IdentityTokens } from '../issue-identity-token/identity-tokens.js';
import type { RevocationFiles } from '../revocation/revocation-files.js';
import type { KeptForms } from '../sign-on/kept-forms/kept-forms.js';
import type { SignOn } from '../sign-on/shared/sign-on.js';
import type { ProviderKeySets } from './agent-key-sets.js';
import type { PreparedTokenExchange } from './prepare-token-exchange.js';
import type { PreparedLogins } from './prepared-logins.js';
import type { PreparedSaml } from './prepared-saml.js';
import type { PreparedSessions } from './prepared-sessions.js';
import type { UsedProofs } from './used-proofs.js';

/** A checked and prepared configuration. Requests need no further look at the options. */
export interface PreparedAgent {
  readonly authentication: AuthenticateRequest;
  /** Null: without policies, every authenticated request is allowed. */
  readonly authorization: AuthorizeRequest | null;
  /** The configured methods, as named in X-Auth-Method. */
  readonly methods: readonly string[];
  /** The headers that the gateway removes from client requests. */
  readonly identityHeaderPatterns: readonly string[];
  /** The headers removed before the upstream: identity headers, and credentials that are not forwarded. */
  readonly removable: OwnedHeaders;
  /**
   * The headers to remove from a request that its Authorization does not authenticate. If a login forwards access
   * tokens, they include Authorization: an upstream must not take a value from the client for such a token.
   */
  readonly removableUnverified: OwnedHeaders;
  readonly failOpen: boolean;
  readonly keySets: ProviderKeySets;
  /** Null: no revocation lists of client certificates. */
  readonly revocations: RevocationFiles | null;
  /** The endpoints that the agent serves itself. Requests for them are not authenticated. */
  readonly endpoints: AgentEndpoints;
  /** The store of the used DPoP proofs. */
  readonly proofs: Pick<UsedProofs, 'storeFailure'>;
  /** Null: no way to sign on, so no sessions. */
  readonly sessions: PreparedSessions | null;
  /** Decides which way to sign on begins; null: there is none. */
  readonly signOn: SignOn | null;
  /** Keeps posted forms during a sign-on; null: none. */
  readonly keptForms: KeptForms | null;
  /** Null: no SAML single sign-on. */
  readonly saml: PreparedSaml | null;
  /** Null: no sign-on at OpenID providers. */
  readonly logins: PreparedLogins | null;
  /** Null: no token exchange. */
  readonly tokenExchange: PreparedTokenExchange | null;
  /** Null: upstreams get no signed identity. */
  readonly identityTokens: IdentityTokens | null;
  /** Null: no metadata of protected resources. */
  readonly resources: ProtectedResources | null;
  /** Whether a cookie is a credential that the upstream must not see; null: no cookie is one. */
  readonly removesCookie: ((name: string) => boolean) | null;
  /** The origins whose pages may change something with a credential in a cookie. */
  readonly trustedOrigins: Pick<AllowedOrigins, 'has'>;
  /** Calls the listener when keys or metadata become fresh or stale. The result unsubscribes it. */
  onChange(listener: () => void): () => void;
  /** Call when the configuration is no longer in force. Idempotent. Never rejects. */
  release(): Promise<void>;
}

export interface PreparedAgentWithWarnings {
  readonly agent: PreparedAgent;
  readonly warnings: readonly AgentOptionProblem[];
}

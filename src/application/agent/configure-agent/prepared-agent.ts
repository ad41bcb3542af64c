import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { OwnedHeaders } from '../../../domain/http/owned-headers.js';
import type { AgentEndpoints } from '../agent-service/agent-endpoints.js';
import type { AuthenticateRequest } from '../authenticate/authenticate-request.js';
import type { AuthorizeRequest } from '../authorize/authorize-request.js';
import type { ProviderKeySets } from './agent-key-sets.js';
import type { PreparedTokenExchange } from './prepare-token-exchange.js';
import type { PreparedSaml } from './prepared-saml.js';

/** A configuration, checked and made ready: requests are judged by it without looking at an option again. */
export interface PreparedAgent {
  readonly authentication: AuthenticateRequest;
  /** Null: no policies, and whoever is authenticated may do everything. */
  readonly authorization: AuthorizeRequest | null;
  /** Methods that are configured, by their names in X-Auth-Method. */
  readonly methods: readonly string[];
  /** What the gateway strips from what clients send. */
  readonly identityHeaderPatterns: readonly string[];
  /** What the upstream must not get from the client: identity headers, and the credentials that are not forwarded. */
  readonly removable: OwnedHeaders;
  readonly failOpen: boolean;
  readonly keySets: ProviderKeySets;
  /** What the agent answers itself: requests for it are not authenticated. */
  readonly endpoints: AgentEndpoints;
  /** Null: there is no single sign-on. */
  readonly saml: PreparedSaml | null;
  /** Null: no tokens are issued. */
  readonly tokenExchange: PreparedTokenExchange | null;
  /** The cookies of single sign-on go on to the upstream. */
  readonly forwardsCookies: boolean;
  /** Calls back when keys or metadata of a provider came or went stale; the result ends that. */
  onChange(listener: () => void): () => void;
  /** To be called when the configuration is no longer in force. Calling it again changes nothing. Never rejects. */
  release(): Promise<void>;
}

export interface PreparedAgentWithWarnings {
  readonly agent: PreparedAgent;
  readonly warnings: readonly AgentOptionProblem[];
}

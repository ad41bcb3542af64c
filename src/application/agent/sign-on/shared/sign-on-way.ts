import type { SessionRequirement } from '../../../../domain/agent/sessions/session-requirements.js';
import type { PathProtection } from '../../../../domain/agent/sign-on/protected-paths.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';

/** A way to sign on: SAML, or one `oidc-login` block. A session of any of them opens the protected paths of all. */
export interface SignOnWay {
  /** Unique among the ways of an agent: `saml`, or the name of the block. Shown in the query of the login path. */
  readonly name: string;
  /** The text of its link on the page to choose. */
  readonly label: string;
  /** What every session that it opens meets: its provider, and the requirements of its block. */
  readonly requirement: SessionRequirement;
  /** The protection of a normalised path; null means a path without a normal form. */
  protection(path: string | null): PathProtection;
  /** Whether a sign-on can begin at the host of this request; `begin` refuses otherwise. */
  beginsAt(event: RequestHeadersEvent): boolean;
  /** Whether a sign-on that begins at the host of this request can return to it. */
  returnsTo(event: RequestHeadersEvent): boolean;
  /**
   * Sends the browser to the identity provider.
   * @param returnTo path and query of this host, or an https URL at an allowed origin
   */
  begin(event: RequestHeadersEvent, returnTo: string): Promise<AgentAnswer>;
}

import type { AuthzOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { AgentOptions } from '../../../domain/agent/configuration/agent-options-schema.js';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import type { AgentBlockReader } from '../../ports/agent/agent-block-reader.js';
import type { PolicySet } from './policy-set.js';

export interface AgentPolicies {
  /** Null on an error. */
  readonly authz: AuthzOptions | null;
  /** Whether a principal can have roles. */
  readonly rolesPossible: boolean;
  readonly problems: readonly ConfigurationProblem[];
}

/**
 * A standalone agent, which has a socket, may get its methods from flags and variables, so the block need not contain
 * them.
 */
const rolesPossible = (options: AgentOptions): boolean => {
  const { authz, socket, jwtSecret, jwtPublicKey, oidc = [], oidcLogin = [], saml } = options;
  const hasProvider = [...oidc, ...oidcLogin].some(({ enabled }) => enabled);
  const takesTokens = jwtSecret !== undefined || jwtPublicKey !== undefined || hasProvider;
  return authz?.rolesClaim !== null && (takesTokens || saml?.enabled === true || socket !== undefined);
};

/** Finds the `authz` block of an agent in a gateway's configuration. A null `agentName` selects the only agent. */
export const agentPolicies = async (readBlock: AgentBlockReader, agentName: string | null): Promise<AgentPolicies> => {
  const { options, problems } = await readBlock(agentName);
  if (options === null) return { authz: null, rolesPossible: false, problems };
  if (options.authz !== undefined) {
    return { authz: options.authz, rolesPossible: rolesPossible(options), problems };
  }
  const message = 'the agent has no authz block';
  return {
    authz: null,
    rolesPossible: false,
    problems: [...problems, { severity: 'error', message, position: null, line: null, suggestion: null }],
  };
};

const linksOf = ({ templateLinks }: AuthzOptions): PolicySet['links'] =>
  templateLinks.map((link) => ({ ...link, position: null, line: null }));

/** The enforced policies of a block, whether or not it is enabled. */
export const enforcedSetOf = (authz: AuthzOptions, roles: Pick<AgentPolicies, 'rolesPossible'>): PolicySet => ({
  paths: authz.policyFiles,
  inline: authz.inlinePolicies,
  links: linksOf(authz),
  strict: authz.strictPolicies,
  rolesPossible: roles.rolesPossible,
  defaultDecision: authz.defaultDecision,
  lenient: false,
});

/** The shadow policies of a block; null: none. */
export const shadowSetOf = (authz: AuthzOptions, roles: Pick<AgentPolicies, 'rolesPossible'>): PolicySet | null =>
  authz.shadowPolicyFiles.length === 0
    ? null
    : {
        paths: authz.shadowPolicyFiles,
        inline: [],
        links: linksOf(authz),
        strict: false,
        rolesPossible: roles.rolesPossible,
        defaultDecision: null,
        lenient: true,
      };

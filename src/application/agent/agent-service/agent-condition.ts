import { providerLabel } from '../../../domain/agent/configuration/oidc-option-rules.js';
import { type AgentState, warmingUpFeature } from '../../../domain/agent-protocol/health.js';
import type { PreparedAgent } from '../configure-agent/prepared-agent.js';
import type { PreparedSaml } from '../configure-agent/prepared-saml.js';

/** The health that an agent reports. The message is for operators. */
export interface AgentCondition {
  readonly state: AgentState;
  readonly message: string | null;
  /** Features that a degraded agent lacks. */
  readonly disabledFeatures: readonly string[];
}

/** The problem of tokens that are bound to a key; none if their store can be used. */
const proofTroubles = ({ proofs: { storeFailure } }: PreparedAgent): string[] =>
  storeFailure === null ? [] : [`DPoP: the store of used proofs cannot be used (${storeFailure})`];

/** Problems of single sign-on, a clause each. */
const signOnTroubles = ({ sessions, saml, logins }: PreparedAgent): string[] => {
  const troubles = saml === null ? [] : samlTroubles(saml);
  troubles.push(...(logins?.troubles() ?? []));
  const storeFailure = sessions?.storeFailure ?? null;
  if (storeFailure !== null) troubles.push(`single sign-on: the session store cannot be used (${storeFailure})`);
  return troubles;
};

const samlTroubles = ({ trust, isWarmingUp }: PreparedSaml): string[] => {
  const troubles: string[] = [];
  if (isWarmingUp) troubles.push('single sign-on: the verifier is warming up');
  const state = trust.state();
  if (state !== 'fresh') {
    const failure = trust.lastFailure();
    const why = failure === null ? '' : ` (${failure})`;
    troubles.push(`single sign-on: the metadata of the identity provider is ${state}${why}`);
  }
  return troubles;
};

/**
 * The health under the current configuration. Degraded while keys, metadata or revocation lists are stale, the session
 * store fails, or the verifier of SAML documents warms up; unhealthy while no request can be decided.
 */
export const agentCondition = (agent: PreparedAgent | null): AgentCondition => {
  if (agent === null) return { state: 'unhealthy', message: 'there is no configuration', disabledFeatures: [] };
  const { methods, keySets, tokenExchange, sessions } = agent;
  const troubles: string[] = [];
  let anyKeys = false;
  keySets.providers.forEach(({ options, keys }, index) => {
    const state = keys.state();
    if (state !== 'absent') anyKeys = true;
    if (state === 'fresh') return;
    const failure = keys.lastFailure();
    const why = failure === null ? '' : ` (${failure})`;
    troubles.push(`${providerLabel(options, index)}: its keys are ${state}${why}`);
  });
  troubles.push(...(agent.revocations?.troubles() ?? []), ...proofTroubles(agent), ...signOnTroubles(agent));
  if (troubles.length === 0) return { state: 'healthy', message: null, disabledFeatures: [] };
  // Gateways send nothing to an unhealthy agent, so they could not fetch the keys that the agent itself publishes.
  // Missing only its own keys therefore does not make it unhealthy.
  const waitsForItself = keySets.providers.every(({ options }) => options.issuer === tokenExchange?.issuer);
  // Cached sessions stay valid for a while without their store.
  const canDecide = anyKeys || waitsForItself || sessions !== null || methods.some((method) => method !== 'oidc');
  return {
    state: canDecide ? 'degraded' : 'unhealthy',
    message: troubles.join('; '),
    disabledFeatures: agent.saml?.isWarmingUp === true ? [warmingUpFeature] : [],
  };
};

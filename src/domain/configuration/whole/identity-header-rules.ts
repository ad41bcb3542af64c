import { agentDefaults } from '../../agent/configuration/agent-configuration.js';
import type { AgentOptions } from '../../agent/configuration/agent-options-schema.js';
import { agentOptionField } from '../../agent/configuration/agent-options-schema.js';
import { secretHeaders } from '../../agent/configuration/secret-headers.js';
import { claimBounds } from '../../agent/identity/bounded-headers.js';
import {
  agentsOf,
  answeringRoute,
  type ReadGateway,
  type ReadRoute,
  rateLimitOfRoute,
  routesOf,
} from '../../gateway/configuration/read-gateway.js';
import { canonicalName } from '../../http/canonical-name.js';
import { alwaysOwned, isOwned, ownedHeaders } from '../../http/owned-headers.js';
import type { ProblemReport } from '../schema/problem-report.js';
import { triedOptions } from './tried-options.js';

/** The configurable identity headers of an agent, without those with fixed names. */
const configuredNames = (options: AgentOptions): readonly string[] => {
  const { userIdHeader, authMethodHeader, mtls, saml, oidcLogin = [], claimMapping = [], identityToken } = options;
  const mappings = [saml?.attributeMapping ?? [], claimMapping, ...oidcLogin.map((login) => login.claimMapping)];
  return [
    userIdHeader,
    authMethodHeader,
    mtls?.clientCertHeader,
    identityToken?.header,
    ...mappings.flatMap((mapping) => mapping.map(({ header }) => header)),
  ].filter((name) => name !== undefined);
};

const checkForwarding = (route: ReadRoute, report: ProblemReport): void => {
  const { policies, agents } = route.fields;
  const forward = policies.value['forward-identity-headers'];
  if (!forward.sound || !forward.value) return;
  const where = { position: forward.position, path: ['routes', `route "${route.name.value}"`, 'policies'] };
  if (agents.value.length > 0) {
    report.add('"forward-identity-headers" cannot be used on a route with agents: clients could forge an identity', {
      ...where,
      suggestion: 'remove forward-identity-headers, or move it to a route without agents',
    });
    return;
  }
  const kind = answeringRoute(route);
  if (kind !== null) report.add(`"forward-identity-headers" has no effect on ${kind}`, where);
};

/** Warns if a rate limit counts by an identity header. The gateway removes it first, so all requests share a bucket. */
const warnOfRateKey = (
  gateway: ReadGateway,
  route: ReadRoute,
  names: readonly string[],
  report: ProblemReport,
): void => {
  const { policies, agents } = route.fields;
  const { 'rate-limit': written, 'forward-identity-headers': forward } = policies.value;
  const key = rateLimitOfRoute(gateway, route)?.key;
  if (agents.value.length > 0 || forward.value || key === undefined || !key.sound || key.value.kind !== 'header')
    return;
  if (!isOwned(ownedHeaders([...alwaysOwned, ...names]), key.value.name)) return;
  report.add('"rate-limit" counts by an identity header, which the gateway removes: all requests share one bucket', {
    severity: 'warning',
    position: written.value?.kind === 'named' ? written.position : key.position,
    path: ['routes', `route "${route.name.value}"`, 'policies', 'rate-limit'],
    suggestion: 'choose another key, or list the agent that sets the header',
  });
};

/** Refuses a split by an identity header. The gateway removes it, and chooses the side before agents set it. */
const refuseSplitKey = (route: ReadRoute, names: readonly string[], report: ProblemReport): void => {
  const key = route.fields.split.value?.key;
  if (key === undefined || !key.sound || key.value?.kind !== 'header') return;
  if (!isOwned(ownedHeaders([...alwaysOwned, ...names]), key.value.name)) return;
  report.add('"key" names an identity header: the gateway removes it, and agents set it after the split', {
    position: key.position,
    path: ['routes', `route "${route.name.value}"`, 'split'],
    suggestion: 'write key "client_ip", or the name of a cookie or of another header',
  });
};

interface NamedAgent {
  readonly name: string;
  readonly identity: readonly string[];
}

/** Refuses a credential header that another agent sets: the gateway removes that header from all requests. */
const checkSecretHeaders = (gateway: ReadGateway, agents: readonly NamedAgent[], report: ProblemReport): void => {
  for (const agent of agentsOf(gateway)) {
    const { name, fields } = agent;
    if (!fields.config.sound) continue;
    const tried = triedOptions(agent);
    for (const { option, name: header, place } of secretHeaders(tried.options)) {
      const canonical = canonicalName(header);
      const owner = agents.find(
        (other) => other.name !== name.value && other.identity.some((each) => canonicalName(each) === canonical),
      );
      if (owner === undefined) continue;
      report.add(
        `"${place?.key ?? option}" is an identity header of agent "${owner.name}": the gateway removes it from every request`,
        {
          position: agentOptionField(tried.fields, option, place).position ?? fields.config.position,
          path: ['agents', `agent "${name.value}"`, 'config'],
          suggestion: place === undefined ? 'use another header for API keys' : 'use another header for tokens',
        },
      );
    }
  }
};

/** Whether the agent accepts a credential with claims. */
const readsClaims = ({ jwtSecret, jwtPublicKey, oidc = [], oidcLogin = [], saml }: AgentOptions): boolean =>
  jwtSecret !== undefined ||
  jwtPublicKey !== undefined ||
  [...oidc, ...oidcLogin].some(({ enabled }) => enabled) ||
  saml?.enabled === true;

/** Octets of an answer that are not identity headers. */
const answerRemainder = 2_048;

/** Warns if a token with many claims can make the answer of the agent too large. */
const warnOfClaimRoom = (gateway: ReadGateway, report: ProblemReport): void => {
  const limit = gateway.limits.value['max-agent-response-bytes'];
  if (!limit.sound) return;
  for (const agent of agentsOf(gateway)) {
    const { name, fields } = agent;
    const { options } = triedOptions(agent);
    if (!fields.config.sound || !readsClaims(options)) continue;
    const { totalOctets } = claimBounds(options.maxClaimBytes ?? agentDefaults.maxClaimBytes);
    if (totalOctets <= limit.value - answerRemainder) continue;
    const key = fields.config.value?.find((setting) => setting.name === 'max-claim-bytes');
    report.add(
      `the identity headers of agent "${name.value}" may have ${totalOctets} bytes: the gateway answers 503 if an answer exceeds "max-agent-response-bytes"`,
      {
        severity: 'warning',
        position: key?.position ?? limit.position ?? fields.config.position,
        path: ['agents', `agent "${name.value}"`, 'config'],
        suggestion: `write limits { max-agent-response-bytes ${totalOctets + answerRemainder} }, or lower max-claim-bytes`,
      },
    );
  }
};

/** Checks routes and agents against the identity headers that the gateway removes from requests. */
export const checkIdentityHeaders = (gateway: ReadGateway, report: ProblemReport): void => {
  const agents = agentsOf(gateway).map((agent) => ({
    name: agent.name.value,
    identity: agent.fields.config.sound ? configuredNames(triedOptions(agent).options) : [],
  }));
  const names = agents.flatMap(({ identity }) => identity);
  for (const route of routesOf(gateway)) {
    checkForwarding(route, report);
    warnOfRateKey(gateway, route, names, report);
    refuseSplitKey(route, names, report);
  }
  checkSecretHeaders(gateway, agents, report);
  warnOfClaimRoom(gateway, report);
};

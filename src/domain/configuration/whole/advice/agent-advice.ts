import { maximumTokenLength } from '../../../agent/tokens/compact-jws.js';
import { agentsOf, type ReadAgent, type ReadGateway } from '../../../gateway/configuration/read-gateway.js';
import type { SourcePosition } from '../../configuration-problem.js';
import { isLocalGrpcAddress, isLocalStreamAddress } from '../../schema/grpc-address.js';
import { type TriedOptions, triedOptions } from '../tried-options.js';
import type { AdviceReport } from './advice-report.js';

const warnAboutTransport = ({ name, fields }: ReadAgent, report: AdviceReport): void => {
  const transport = fields.transport.value;
  if (transport?.kind !== 'grpc') return;
  const { address, insecure } = transport.fields;
  if (!insecure.value || !address.sound || isLocalGrpcAddress(address.value)) return;
  report.add('agent-in-the-clear', `the gateway calls agent "${name.value}" without TLS`, insecure.position);
};

const warnAboutAdmin = ({ name, fields }: ReadAgent, report: AdviceReport): void => {
  const address = fields.admin.value?.address;
  if (address?.sound !== true || isLocalStreamAddress(address.value)) return;
  const message = `the gateway sends the admin token of agent "${name.value}" without TLS`;
  report.add('agent-admin-in-the-clear', message, address.position);
};

const warnAboutOptions = (agent: string, { fields }: TriedOptions, report: AdviceReport): void => {
  const open = fields['fail-open'];
  if (open.value === true) {
    report.add('authentication-fails-open', `${agent} accepts requests whose authentication failed`, open.position);
  }
  const forward = fields['forward-credentials'];
  if (forward.value === true) {
    report.add('credentials-go-to-upstreams', `${agent} leaves all credentials in the request`, forward.position);
  }
  const isSecret = fields['jwt-secret'].given;
  const key = isSecret ? fields['jwt-secret'] : fields['jwt-public-key'];
  if (key.given && !fields['jwt-audience'].given) {
    report.add('token-audience-unchecked', `${agent} accepts tokens for other audiences`, key.position, isSecret);
  }
};

const warnAboutPolicies = (agent: string, { fields }: TriedOptions, report: AdviceReport): void => {
  const authz = fields.authz.value;
  if (authz?.enabled.value !== true) return;
  const standard = authz['default-decision'];
  if (standard.value === 'allow') {
    report.add('authorization-allows-by-default', `${agent} allows requests that no policy covers`, standard.position);
  }
  const onError = authz['on-error'];
  if (onError.value === 'skip') {
    report.add('failing-policies-are-skipped', `${agent} skips policies that fail`, onError.position);
  }
};

/** Minimum time for a SAML sign-on, in milliseconds: it verifies signatures and writes to a store. */
const leastSignOnMs = 2000;
/** Minimum time for a sign-on at an OpenID provider: its token endpoint has five seconds. */
const leastLoginMs = 6000;

const warnAboutSignOnTime = ({ name, fields }: ReadAgent, tried: TriedOptions, report: AdviceReport): void => {
  const timeout = fields['timeout-ms'];
  const { saml, 'oidc-login': logins } = tried.fields;
  if (!timeout.sound) return;
  const tell = (method: string, position: SourcePosition | null) => {
    const message = `agent "${name.value}" has ${timeout.value} ms for an answer, but ${method} can take longer`;
    report.add('sign-on-may-time-out', message, timeout.given ? timeout.position : position);
  };
  const hasLogin = logins.value.some(({ fields: { enabled } }) => enabled.value);
  if (hasLogin && timeout.value < leastLoginMs) tell('a sign-on at an OpenID provider', logins.position);
  else if (saml.value?.enabled.value === true && timeout.value < leastSignOnMs) tell('a SAML sign-on', saml.position);
};

/** Whether the agent accepts tokens. */
const acceptsTokens = ({ options: { jwtSecret, jwtPublicKey, oidc = [] } }: TriedOptions): boolean =>
  jwtSecret !== undefined || jwtPublicKey !== undefined || oidc.some(({ enabled }) => enabled);

const warnAboutTokenLength = (gateway: ReadGateway, agent: string, tried: TriedOptions, report: AdviceReport): void => {
  const limit = gateway.limits.value['max-header-value-bytes'];
  if (!limit.sound || limit.value >= maximumTokenLength || !acceptsTokens(tried)) return;
  const { 'jwt-secret': secret, 'jwt-public-key': publicKey, oidc } = tried.fields;
  const key = [secret, publicKey, oidc].find(({ given }) => given) ?? oidc;
  const shown = limit.hidden === true ? 'max-header-value-bytes' : `max-header-value-bytes, which is ${limit.value}`;
  const message = `${agent} accepts tokens of up to 16 KiB, but the gateway refuses tokens above ${shown}`;
  report.add(
    'long-tokens-are-refused',
    message,
    limit.given ? limit.position : key.position,
    !limit.given && key !== oidc,
  );
};

/** Advice about agents: what they accept, and timeouts that are too short. */
export const warnAboutAgents = (gateway: ReadGateway, report: AdviceReport): void => {
  for (const agent of agentsOf(gateway)) {
    warnAboutTransport(agent, report);
    warnAboutAdmin(agent, report);
    const tried = triedOptions(agent);
    const name = `agent "${agent.name.value}"`;
    warnAboutOptions(name, tried, report);
    warnAboutPolicies(name, tried, report);
    warnAboutTokenLength(gateway, name, tried, report);
    warnAboutSignOnTime(agent, tried, report);
  }
};

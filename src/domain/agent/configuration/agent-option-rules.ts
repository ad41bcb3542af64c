import type { AgentOptionProblem } from '../../configuration/agent-option-problem.js';
import {
  type AgentOptions,
  agentDefaults,
  type CompleteAgentOptions,
  type CredentialForwarding,
} from './agent-configuration.js';
import { enabledAuthz } from './authz-option-rules.js';
import { apiKeyEntries, basicUserEntries, type EntryFiles } from './entry-option-rules.js';
import { checkHeaders } from './header-option-rules.js';
import { jwtOptions } from './jwt-option-rules.js';
import { enabledMtls } from './mtls-option-rules.js';
import { enabledProviders } from './oidc-option-rules.js';
import type { OptionReport } from './option-report.js';
import { enabledSaml } from './saml-option-rules.js';
import { checkServedPlaces, grpcServing } from './serving-option-rules.js';
import { enabledTokenExchange } from './token-exchange-rules.js';

/** What came of checking the options of an agent. */
export interface CompletedAgentOptions {
  /** Null where there was any error. */
  readonly options: CompleteAgentOptions | null;
  readonly problems: readonly AgentOptionProblem[];
}

/** Whether any method is configured, be it well or badly. */
const namesMethod = (options: AgentOptions): boolean => {
  const { jwtSecret, jwtPublicKey, apiKeys = [], basicAuthUsers = [], oidc = [], mtls, saml } = options;
  if (jwtSecret !== undefined || jwtPublicKey !== undefined || apiKeys.length + basicAuthUsers.length > 0) return true;
  return oidc.some(({ enabled }) => enabled) || mtls?.enabled === true || saml?.enabled === true;
};

/** The default belongs to upstreams of their own keys, until keys are configured here; a list that is empty now counts. */
const apiKeyHeader = ({ apiKeyHeader: given, apiKeys = [] }: AgentOptions): string | null =>
  given ?? (apiKeys.length > 0 ? agentDefaults.apiKeyHeader : null);

const forwarding = (value: boolean | undefined): CredentialForwarding => {
  if (value === undefined) return 'authorization';
  return value ? 'all' : 'none';
};

/** Checks the merged options against each other and fills in the defaults. */
export const completeAgentOptions = (options: AgentOptions, files: EntryFiles): CompletedAgentOptions => {
  const problems: AgentOptionProblem[] = [];
  const reporter =
    (severity: 'error' | 'warning'): OptionReport =>
    (option, message, suggestion, place, id) =>
      problems.push({
        severity,
        option,
        message,
        suggestion: suggestion ?? null,
        ...(place && { place }),
        ...(id !== undefined && { id }),
      });
  const error = reporter('error');
  const warn = reporter('warning');

  const methods = {
    jwt: jwtOptions(options, error, warn),
    oidc: enabledProviders(options.oidc ?? [], error, warn),
    saml: enabledSaml(options.saml, error, warn),
  };
  const complete: CompleteAgentOptions = {
    ...methods,
    socket: options.socket ?? agentDefaults.socket,
    grpc: grpcServing(options, error),
    metricsAddress: options.metricsAddress ?? null,
    apiKeys: apiKeyEntries(options, files, error),
    apiKeyHeader: apiKeyHeader(options),
    basicUsers: basicUserEntries(options, files, error, warn),
    userIdHeader: options.userIdHeader ?? agentDefaults.userIdHeader,
    authMethodHeader: options.authMethodHeader ?? agentDefaults.authMethodHeader,
    failOpen: options.failOpen ?? agentDefaults.failOpen,
    forwardCredentials: forwarding(options.forwardCredentials),
    tokenCacheSize: options.tokenCacheSize ?? agentDefaults.tokenCacheSize,
    maxClaimBytes: options.maxClaimBytes ?? agentDefaults.maxClaimBytes,
    clientCertHeader: options.mtls?.clientCertHeader ?? agentDefaults.clientCertHeader,
    mtls: enabledMtls(options.mtls, error, warn),
    authz: enabledAuthz(options.authz, error, warn),
    tokenExchange: enabledTokenExchange(options.tokenExchange, methods, error, warn),
  };
  checkServedPlaces(options, error);
  const { userIdHeader: userId, authMethodHeader: authMethod, apiKeyHeader: apiKey, saml } = complete;
  const mapped = saml?.attributeMapping.map(({ header }) => header) ?? [];
  checkHeaders({ userId, authMethod, apiKey, clientCert: options.mtls?.clientCertHeader ?? null, mapped }, error);
  if (options.failOpen === true && !namesMethod(options)) {
    warn('fail-open', 'it has no effect while no authentication method is configured: every request is refused');
  }
  const failed = problems.some((problem) => problem.severity === 'error');
  return { options: failed ? null : complete, problems };
};

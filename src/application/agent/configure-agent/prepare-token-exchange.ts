import type {
  ExchangeClientOptions,
  TokenExchangeOptions,
} from '../../../domain/agent/configuration/token-exchange-options.js';
import type { ExchangePolicy } from '../../../domain/agent/token-exchange/exchange-policy.js';
import { err } from '../../../domain/shared/result.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import type { AgentEndpoint } from '../agent-service/agent-endpoints.js';
import { AuthenticateClient } from '../exchange-token/authenticate-client.js';
import type { PreparedClient } from '../exchange-token/exchange-record.js';
import { SecurityTokens } from '../exchange-token/security-tokens.js';
import { TokenEndpoint } from '../exchange-token/token-endpoint.js';
import type { BearerTokens } from '../verify-tokens/bearer-tokens.js';
import { OwnTokens } from '../verify-tokens/own-tokens.js';
import type { AgentProcessServices } from './agent-process-services.js';
import type { PreparedSaml } from './prepared-saml.js';
import type { ReadTokenExchange } from './read-token-exchange.js';
import type { TokenExchangeFiles } from './token-exchange-files.js';

const asSet = (values: readonly string[] | null): ReadonlySet<string> | null => values && new Set(values);

/** The allowed targets, including the default target of requests that name none. */
const targets = (
  { issuer, defaultAudience }: TokenExchangeOptions,
  allowed: readonly string[] | null,
): ReadonlySet<string> | null => allowed && new Set([...allowed, defaultAudience ?? issuer]);

/** The policy for anonymous requests, if no clients are configured. */
export const publicPolicy = (options: TokenExchangeOptions): ExchangePolicy => ({
  issuer: options.issuer,
  tokenTtlMs: options.tokenTtlMs,
  limitLifetimeToSubject: options.limitLifetimeToSubject,
  maximumActors: options.maximumActors,
  claimsCopied: options.claimsCopied,
  defaultAudience: options.defaultAudience,
  allowedExchanges: options.allowedExchanges,
  allowedAudiences: targets(options, options.allowedAudiences),
  allowedScopes: asSet(options.allowedScopes),
  clientId: null,
  acceptedAudiences: null,
});

/** The policy of one client. */
export const clientPolicy = (
  options: TokenExchangeOptions,
  { id, allowedExchanges, allowedAudiences, allowedScopes, subjectAudiences }: ExchangeClientOptions,
): ExchangePolicy => ({
  ...publicPolicy(options),
  allowedExchanges,
  allowedAudiences: targets(options, allowedAudiences),
  allowedScopes: asSet(allowedScopes),
  clientId: id,
  acceptedAudiences: new Set(subjectAudiences),
});

/** Token exchange of one configuration. */
export interface PreparedTokenExchange {
  readonly endpoint: AgentEndpoint;
  readonly issuer: string;
  readonly endpointPath: string;
  /** The kid of the signing key. */
  readonly kid: string;
}

/** Without single sign-on there are no one-time tokens, so every attempt to use one is refused. */
const nowhere: Pick<ReplayStore, 'remember'> = {
  remember: () => Promise.resolve(err({ reason: 'single sign-on is not configured' })),
};

/** Null: no clients are configured. */
const preparedClients = (
  options: TokenExchangeOptions,
  { clientKeys }: TokenExchangeFiles,
): readonly PreparedClient[] | null =>
  options.clients?.map((client, index) => ({
    id: client.id,
    policy: clientPolicy(options, client),
    secrets: client.secrets,
    keys: clientKeys[index] ?? [],
  })) ?? null;

/** Builds the endpoint from the options and the contents of their files. */
export const prepareTokenExchange = (
  { options, files }: ReadTokenExchange,
  bearer: BearerTokens,
  saml: Pick<PreparedSaml, 'samlSubjectTokens' | 'replays' | 'sharedReplays'> | null,
  parts: AgentProcessServices,
): PreparedTokenExchange => {
  const { clock, scheduler, digest, logger, outcomes, passwords, spentAssertions: spent, exchangeRates } = parts;
  const { issuer, endpointUrl, endpointPath, samlOneTime } = options;
  const { keys, clientKeys } = files;
  const clients = preparedClients(options, files);
  const replays = saml?.sharedReplays ?? null;
  const endpoint = new TokenEndpoint({
    options,
    publicPolicy: publicPolicy(options),
    authenticate:
      clients === null
        ? null
        : new AuthenticateClient({ clients, issuer, endpointUrl, digest, passwords, clock, spent, replays }),
    clientAlgorithms: clientKeys.flatMap((ofClient) => ofClient.map(({ algorithm }) => algorithm)),
    tokens: new SecurityTokens({
      own: new OwnTokens(issuer, keys, clock),
      bearer,
      saml: saml?.samlSubjectTokens(endpointUrl, samlOneTime) ?? null,
    }),
    keys,
    replays: saml?.replays ?? nowhere,
    rates: exchangeRates,
    clock,
    scheduler,
    random: parts.random,
    digest,
    logger,
    outcomes,
  });
  return { endpoint, issuer, endpointPath, kid: keys[0].kid };
};

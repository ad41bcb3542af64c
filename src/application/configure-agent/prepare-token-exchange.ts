import type { TokenExchangeOptions } from '../../domain/configuration/token-exchange-options.js';
import type { AgentEndpoint } from '../agent-service/agent-endpoint.js';
import { AuthenticateClient } from '../exchange-token/authenticate-client.js';
import type { PreparedClient } from '../exchange-token/exchange-client.js';
import { SecurityTokens } from '../exchange-token/security-tokens.js';
import { TokenEndpoint } from '../exchange-token/token-endpoint.js';
import type { BearerTokens } from '../verify-tokens/bearer-tokens.js';
import { OwnTokens } from '../verify-tokens/own-tokens.js';
import type { AgentParts } from './agent-parts.js';
import { clientPolicy, publicPolicy } from './exchange-policies.js';
import type { OpenedTokenExchange } from './open-token-exchange.js';
import type { PreparedSaml } from './prepared-saml.js';
import type { TokenExchangeFiles } from './token-exchange-files.js';

/** Token exchange as one configuration has it. */
export interface PreparedTokenExchange {
  readonly endpoint: AgentEndpoint;
  readonly issuer: string;
  readonly endpointPath: string;
  /** Of the key that signs. */
  readonly kid: string;
  /** Lets go of what was opened for it. Calling it again changes nothing. Never rejects. */
  release(): Promise<void>;
}

/** Null: there are none. */
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

/** Puts the endpoint together of what was read and opened. */
export const prepareTokenExchange = (
  { options, files, replays, release }: OpenedTokenExchange,
  bearer: BearerTokens,
  saml: Pick<PreparedSaml, 'samlSubjectTokens' | 'replays'> | null,
  { clock, digest, logger, outcomes, passwords, saml: { random } }: AgentParts,
): PreparedTokenExchange => {
  const { issuer, endpointUrl, endpointPath, samlOneTime } = options;
  const { keys, clientKeys } = files;
  const clients = preparedClients(options, files);
  const endpoint = new TokenEndpoint({
    options,
    publicPolicy: publicPolicy(options),
    authenticate:
      clients === null
        ? null
        : new AuthenticateClient({ clients, issuer, endpointUrl, digest, passwords, clock, replays }),
    clientAlgorithms: clientKeys.flatMap((ofClient) => ofClient.map(({ algorithm }) => algorithm)),
    tokens: new SecurityTokens({
      own: new OwnTokens(issuer, keys, clock),
      bearer,
      saml: saml?.samlSubjectTokens(endpointUrl, samlOneTime) ?? null,
    }),
    keys,
    replays: saml?.replays ?? null,
    clock,
    random,
    digest,
    logger,
    outcomes,
  });
  return { endpoint, issuer, endpointPath, kid: keys[0].kid, release };
};

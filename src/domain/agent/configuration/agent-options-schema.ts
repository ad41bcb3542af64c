import type { OptionPlace } from '../../configuration/agent-option-problem.js';
import type { SourcePosition } from '../../configuration/configuration-problem.js';
import { adminToken } from '../../configuration/schema/admin-token.js';
import { grpcAddress, keyFilePath, pemFilePath, streamListenAddress } from '../../configuration/schema/grpc-address.js';
import { headerName, socketAddress } from '../../configuration/schema/network-kinds.js';
import { documented, list, optional } from '../../configuration/schema/scalar-keys.js';
import { boolean, integer, oneOf, seconds, secret, text } from '../../configuration/schema/scalar-kind.js';
import type { Field, Fields, Located } from '../../configuration/schema/schema.js';
import type { Secret } from '../../shared/secret.js';
import { type EntrySource, jwtAlgorithms } from './agent-configuration.js';
import { claimMapping } from './attribute-mapping.js';
import { authzBlock, toAuthzOptions } from './authz-block.js';
import { parseEntryList, parseSingleEntry } from './credential-entries.js';
import { claimName } from './exchange-kinds.js';
import { identityTokenBlock, toIdentityTokenOptions } from './identity-token-block.js';
import { mtlsBlock, toMtlsOptions } from './mtls-block.js';
import { oidcBlocks, toProviderOptions } from './oidc-block.js';
import { oidcLoginBlocks, toOidcLoginOptions } from './oidc-login-block.js';
import { publicKeyPath } from './public-key-text.js';
import { resourceMetadataBlocks, toResourceMetadataOptions } from './resource-metadata-block.js';
import { samlBlock, toSamlBlockOptions } from './saml-block.js';
import { sessionsBlock, toSessionsBlockOptions } from './sessions-block.js';
import { tokenExchangeBlock, toTokenExchangeOptions } from './token-exchange-block.js';

/** The schema of the agent's options. */
export const agentOptionsShape = {
  socket: documented(optional(text, 'Path of the unix socket to serve.'), '`/tmp/gateway-auth.sock`'),
  sockets: documented(
    optional(
      oneOf(['auto', 'native', 'node']),
      'What carries the connections of the unix socket. `native` is the addon of the package, on Linux; it needs less CPU. `node` is node:net. `auto` uses the addon where it loads; `native` refuses to start without it.',
    ),
    '`auto`',
  ),
  'grpc-address': optional(grpcAddress(0), 'Address of the gRPC server, in addition to the unix socket.'),
  'grpc-tls-cert-file': optional(
    pemFilePath,
    'Path of a PEM file with the certificate of the gRPC server, followed by its intermediates.',
  ),
  'grpc-tls-key-file': optional(
    keyFilePath,
    'Path of a PEM file with the private key of the certificate, without a pass phrase.',
  ),
  'grpc-client-ca-file': optional(
    pemFilePath,
    'Path of a PEM file with authorities. Gateways must present a certificate from one of them.',
  ),
  'grpc-insecure': documented(
    optional(boolean, 'Serve gRPC without TLS on an address that is not a loopback address.'),
    '`#false`',
  ),
  'metrics-address': optional(socketAddress(0), 'Address to serve its own metrics, as `GET /metrics`.'),
  'admin-address': optional(
    streamListenAddress,
    'Address to serve its own admin endpoints, `/admin/sessions`, in plain HTTP. Needs `admin-token`.',
  ),
  'admin-token': optional(adminToken, 'Bearer token that callers of the admin endpoints must send.'),
  'health-interval-secs': documented(optional(seconds(1, 3600), 'Interval of health reports to gateways.'), '5'),
  'metrics-interval-secs': documented(optional(seconds(1, 3600), 'Interval of metrics reports to gateways.'), '10'),
  'jwt-secret': optional(secret, 'Shared secret for HS256, at least 32 bytes.'),
  'jwt-public-key': optional(publicKeyPath, 'Path of the public key in PEM, for every algorithm but HS256.'),
  'jwt-algorithm': documented(optional(oneOf(jwtAlgorithms), 'The only accepted algorithm.'), '`HS256`'),
  'jwt-issuer': optional(text, 'The required claim `iss`.'),
  'jwt-audience': optional(text, 'A value that the claim `aud` must contain.'),
  'api-keys': list(
    secret,
    'Entries `<key>:<name>`, split at the last colon. A single text may contain several entries separated by commas; `\\,` is a literal comma. With several texts, each is one entry. `@FILE` names a file with one entry per line.',
  ),
  'api-key-header': documented(
    optional(headerName, 'Header with the API key. Read if `api-keys` or this option is set.'),
    '`X-API-Key`',
  ),
  'basic-auth-users': list(secret, 'Entries `<user>:<password>`, split at the first colon; written like `api-keys`.'),
  'user-id-header': documented(optional(headerName, 'Header that receives the user id.'), '`X-User-Id`'),
  'auth-method-header': documented(optional(headerName, 'Header that receives the method.'), '`X-Auth-Method`'),
  'fail-open': documented(
    optional(boolean, 'Forward requests whose authentication failed, without identity headers.'),
    '`#false`',
  ),
  'forward-credentials': documented(
    optional(boolean, '`#true`: the upstream sees every credential; `#false`: none.'),
    '`Authorization` is forwarded, the API key is not',
  ),
  'token-cache-size': documented(
    optional(
      integer(0, 1_000_000),
      'Maximum number of cached verified credentials; 0: no cache. ' +
        'The cached tokens together may have 4096 characters per entry, and at least 8 Mi.',
    ),
    '10000',
  ),
  'max-claim-bytes': documented(
    optional(
      integer(1, 16_384),
      'Maximum header value of one claim, in octets. All identity headers together: four times that, or 4 KiB if ' +
        'that is more. `X-Auth-Claims-Omitted` names the omitted claims.',
    ),
    '2048',
  ),
  'forward-claims': list(
    claimName,
    'The claims that get a header `X-Auth-Claim-*`: names, or dotted paths into objects. A name includes everything below it. An empty list: none. SAML attributes get headers only by a mapping.',
    [],
    'all',
  ),
  'claim-mapping': claimMapping,
  oidc: oidcBlocks,
  mtls: mtlsBlock,
  authz: authzBlock,
  saml: samlBlock,
  'oidc-login': oidcLoginBlocks,
  sessions: sessionsBlock,
  'token-exchange': tokenExchangeBlock,
  'identity-token': identityTokenBlock,
  'resource-metadata': resourceMetadataBlocks,
};

/** All options, in the order of the reference. */
export const agentOptionNames = Object.keys(agentOptionsShape) as readonly AgentOptionName[];
export type AgentOptionName = keyof typeof agentOptionsShape;

/** The serving options of a standalone agent, read only at start. */
export const servingOptionNames = [
  'socket',
  'sockets',
  'grpc-address',
  'grpc-tls-cert-file',
  'grpc-tls-key-file',
  'grpc-client-ca-file',
  'grpc-insecure',
  'metrics-address',
  'admin-address',
  'admin-token',
  'health-interval-secs',
  'metrics-interval-secs',
] as const;

export type ServingOptionName = (typeof servingOptionNames)[number];

/** A single text is a list with commas. With several texts, or a JSON array, each is one entry. */
const entries = (values: readonly Located<Secret>[]): readonly EntrySource[] => {
  const [first] = values;
  if (first !== undefined && values.length === 1 && first.listed !== true) return parseEntryList(first.value.reveal());
  return values.flatMap(({ value }) => parseSingleEntry(value.reveal()) ?? []);
};

/** The options that are set. Absent or null options are omitted. */
export const toAgentOptions = (fields: Fields<typeof agentOptionsShape>) => {
  const socket = fields.socket.value;
  const sockets = fields.sockets.value;
  const grpcAddress = fields['grpc-address'].value;
  const grpcTlsCertFile = fields['grpc-tls-cert-file'].value;
  const grpcTlsKeyFile = fields['grpc-tls-key-file'].value;
  const grpcClientCaFile = fields['grpc-client-ca-file'].value;
  const grpcInsecure = fields['grpc-insecure'].value;
  const metricsAddress = fields['metrics-address'].value;
  const adminAddress = fields['admin-address'].value;
  const adminTokenGiven = fields['admin-token'].value;
  const healthIntervalMs = fields['health-interval-secs'].value;
  const metricsIntervalMs = fields['metrics-interval-secs'].value;
  const jwtSecret = fields['jwt-secret'].value;
  const jwtPublicKey = fields['jwt-public-key'].value;
  const jwtAlgorithm = fields['jwt-algorithm'].value;
  const jwtIssuer = fields['jwt-issuer'].value;
  const jwtAudience = fields['jwt-audience'].value;
  const apiKeyHeader = fields['api-key-header'].value;
  const userIdHeader = fields['user-id-header'].value;
  const authMethodHeader = fields['auth-method-header'].value;
  const failOpen = fields['fail-open'].value;
  const forwardCredentials = fields['forward-credentials'].value;
  const tokenCacheSize = fields['token-cache-size'].value;
  const maxClaimBytes = fields['max-claim-bytes'].value;
  const claimsMapped = fields['claim-mapping'];
  const mtls = fields.mtls.value;
  const authz = fields.authz.value;
  const saml = fields.saml.value;
  const sessions = fields.sessions.value;
  const tokenExchange = fields['token-exchange'].value;
  const identityToken = fields['identity-token'].value;
  return {
    ...(socket !== null && { socket }),
    ...(sockets !== null && { sockets }),
    ...(grpcAddress !== null && { grpcAddress }),
    ...(grpcTlsCertFile !== null && { grpcTlsCertFile }),
    ...(grpcTlsKeyFile !== null && { grpcTlsKeyFile }),
    ...(grpcClientCaFile !== null && { grpcClientCaFile }),
    ...(grpcInsecure !== null && { grpcInsecure }),
    ...(metricsAddress !== null && { metricsAddress }),
    ...(adminAddress !== null && { adminAddress }),
    ...(adminTokenGiven !== null && { adminToken: adminTokenGiven }),
    ...(healthIntervalMs !== null && { healthIntervalMs }),
    ...(metricsIntervalMs !== null && { metricsIntervalMs }),
    ...(jwtSecret !== null && { jwtSecret }),
    ...(jwtPublicKey !== null && { jwtPublicKey }),
    ...(jwtAlgorithm !== null && { jwtAlgorithm }),
    ...(jwtIssuer !== null && { jwtIssuer }),
    ...(jwtAudience !== null && { jwtAudience }),
    ...(fields['api-keys'].given && { apiKeys: entries(fields['api-keys'].value) }),
    ...(apiKeyHeader !== null && { apiKeyHeader }),
    ...(fields['basic-auth-users'].given && { basicAuthUsers: entries(fields['basic-auth-users'].value) }),
    ...(userIdHeader !== null && { userIdHeader }),
    ...(authMethodHeader !== null && { authMethodHeader }),
    ...(failOpen !== null && { failOpen }),
    ...(forwardCredentials !== null && { forwardCredentials }),
    ...(tokenCacheSize !== null && { tokenCacheSize }),
    ...(maxClaimBytes !== null && { maxClaimBytes }),
    ...(fields['forward-claims'].given && { forwardClaims: fields['forward-claims'].value.map(({ value }) => value) }),
    ...(claimsMapped.given && { claimMapping: claimsMapped.value }),
    ...(fields.oidc.given && { oidc: fields.oidc.value.map((block) => toProviderOptions(block.fields)) }),
    ...(mtls !== null && { mtls: toMtlsOptions(mtls) }),
    ...(authz !== null && { authz: toAuthzOptions(authz) }),
    ...(saml !== null && { saml: toSamlBlockOptions(saml) }),
    ...(fields['oidc-login'].given && {
      oidcLogin: fields['oidc-login'].value.map((block) => toOidcLoginOptions(block.fields)),
    }),
    ...(sessions !== null && { sessions: toSessionsBlockOptions(sessions) }),
    ...(tokenExchange !== null && { tokenExchange: toTokenExchangeOptions(tokenExchange) }),
    ...(identityToken !== null && { identityToken: toIdentityTokenOptions(identityToken) }),
    ...(fields['resource-metadata'].given && {
      resourceMetadata: fields['resource-metadata'].value.map((block) => toResourceMetadataOptions(block.fields)),
    }),
  };
};

/**
 * The options of one source (flags, environment, config block). Unset options are absent, so sources merge by
 * spreading: `{ ...configBlock, ...environment, ...flags }`.
 */
export type AgentOptions = Readonly<ReturnType<typeof toAgentOptions>>;

/** One of several blocks of an option. */
interface LocatedBlock {
  readonly fields: Readonly<Record<string, Field<unknown>>>;
  readonly position: SourcePosition | null;
}

/** A key of a block; located at the block if not written. */
const keyOf = (shape: Readonly<Record<string, Field<unknown>>>, key: string, block: Field<unknown>): Field<unknown> => {
  const field = Object.hasOwn(shape, key) ? (shape[key] as Field<unknown>) : block;
  return { ...field, position: field.position ?? block.position };
};

/** The options that are a single block. */
const singleBlocks = ['mtls', 'authz', 'saml', 'sessions', 'token-exchange', 'identity-token'] as const;

const isSingleBlock = (option: string): option is (typeof singleBlocks)[number] =>
  singleBlocks.some((single) => single === option);

/** For an option that no block can have. */
const unknownOption: Field<unknown> = { value: null, given: false, sound: false, position: null };

/** Whether an option, or a key of its block, was written and valid, and where it is. */
export const agentOptionField = (
  fields: Fields<typeof agentOptionsShape>,
  option: string,
  place: OptionPlace = {},
): Field<unknown> => {
  const { block, client, key } = place;
  const whole: Field<unknown> = Object.hasOwn(fields, option) ? fields[option as AgentOptionName] : unknownOption;
  /** One of several blocks, or a key of it. */
  const one = (found: LocatedBlock | undefined, outside: Field<unknown>): Field<unknown> => {
    if (found === undefined) return outside;
    const atBlock = { ...outside, position: found.position };
    return key === undefined ? atBlock : keyOf(found.fields, key, atBlock);
  };
  if (option === 'oidc' || option === 'oidc-login' || option === 'resource-metadata') {
    return one(block === undefined ? undefined : fields[option].value[block], whole);
  }
  if (option === 'sessions' && block !== undefined) return one(fields.sessions.value?.require.value[block], whole);
  if (option === 'token-exchange' && client !== undefined) {
    return one(fields['token-exchange'].value?.clients.value?.client.value[client], whole);
  }
  if (!isSingleBlock(option)) return whole;
  const single = fields[option].value;
  return single === null || key === undefined ? whole : keyOf(single, key, whole);
};

import { list, optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, integer, oneOf, seconds, secret, text } from '../../configuration/schema/scalar-kind.js';
import type { Field, Fields, Located } from '../../configuration/schema/schema.js';
import { longestChain } from '../token-exchange/delegation.js';
import { signingAlgorithms } from '../tokens/signature-algorithm.js';
import { agentDefaults } from './agent-configuration.js';
import { allowedExchanges } from './allowed-exchanges.js';
import { scopeName } from './claim-path.js';
import { audience, claimName, clientId } from './exchange-kinds.js';
import { exchangeRateLimit } from './exchange-rate-limit.js';
import { optionBlock, optionBlocks } from './option-blocks.js';
import type { ExchangeClientBlockOptions, TokenExchangeBlockOptions } from './token-exchange-options.js';

const clientShape = {
  name: required(clientId, 'The id of the client; also written as `client "id" { ... }`.'),
  secret: list(
    secret,
    'Its secret: `sha256:` and the hexadecimal digest, a hash as in `basic-auth-users`, or the secret itself. Set several during a change; each is accepted.',
  ),
  'public-key-file': list(
    text,
    'Paths of PEM files with its public keys, for `private_key_jwt`. Set several during a change.',
  ),
  'allowed-exchanges': allowedExchanges('An allowed conversion. Overrides those of the `token-exchange` block.'),
  'allowed-audiences': list(
    audience,
    'Values of `audience` and `resource` that the client may request. Overrides that of the `token-exchange` block. An empty list: only the default.',
    [],
    'those of the block, if any',
  ),
  'allowed-scopes': list(
    scopeName,
    'Scopes that its tokens may have. Overrides that of the `token-exchange` block. An empty list: none.',
    [],
    'those of the block',
  ),
  'subject-audiences': list(
    audience,
    'Audiences of which a token of this agent must have one, so that the client may exchange it. The issuer is not included by default.',
    [],
    'the id of the client',
  ),
};

const clientBlocks = optionBlocks(clientShape, 'A client, which must authenticate.');

const clientsKey = optionBlock(
  { client: clientBlocks },
  'The only clients that may exchange tokens. Without it anyone with a token may exchange it.',
);

/** The `clients` block. An empty list is refused: it reads like "no client", but would allow everyone. */
const clientsBlock: typeof clientsKey = {
  ...clientsKey,
  read: (name, settings, context) => {
    const field = clientsKey.read(name, settings, context);
    const empty = settings.find(({ listed, args }) => listed && args.length === 0);
    if (empty === undefined) return field;
    context.report.add('"clients" names no client', { position: empty.position, path: context.path });
    return { ...field, sound: false };
  },
};

/** The values of a list; null if it was not written. */
const givenList = (field: Field<readonly Located<string>[]>): readonly string[] | null =>
  field.given ? field.value.map(({ value }) => value) : null;

const toExchangeClient = (fields: Fields<typeof clientShape>): ExchangeClientBlockOptions => ({
  id: fields.name.value,
  secrets: fields.secret.value.map(({ value }) => value),
  publicKeyFiles: fields['public-key-file'].value.map(({ value }) => value),
  allowedExchanges: fields['allowed-exchanges'].given ? fields['allowed-exchanges'].value : null,
  allowedAudiences: givenList(fields['allowed-audiences']),
  allowedScopes: givenList(fields['allowed-scopes']),
  subjectAudiences: givenList(fields['subject-audiences']),
});

const year = 31_536_000;

const code = (value: string): string => `\`${value}\``;

const shape = {
  enabled: withDefault(boolean, false, '`#false`', 'Exchange tokens.'),
  'endpoint-path': withDefault(
    text,
    agentDefaults.exchangePath,
    code(agentDefaults.exchangePath),
    'The path of the token endpoint, as the gateway sees it.',
  ),
  'jwks-path': withDefault(
    text,
    agentDefaults.jwksPath,
    code(agentDefaults.jwksPath),
    'The path of the JWK set with the public keys that verify issued tokens.',
  ),
  issuer: required(
    text,
    'The `iss` of issued tokens: a URL without query and fragment. Metadata (RFC 8414) is served at `/.well-known/oauth-authorization-server` and its path.',
  ),
  'public-url': optional(
    text,
    'The prefix of these paths in the URLs that clients use, as in `https://api.example`. Default: the origin of the issuer.',
  ),
  'signing-key-file': list(
    text,
    'Paths of the keys: a PEM private key, or for `HS256` a secret of at least 32 bytes. The first key signs; the others are only published, so that tokens stay valid during a key rotation.',
    [],
    'required',
  ),
  'signing-algorithm': withDefault(
    oneOf(signingAlgorithms),
    agentDefaults.signingAlgorithm,
    code(agentDefaults.signingAlgorithm),
    'The algorithm of the first key. With `HS256`, anyone who can verify a token can issue one, and no key is published.',
  ),
  'token-ttl-secs': withDefault(
    seconds(1, year),
    agentDefaults.tokenTtlMs,
    String(agentDefaults.tokenTtlMs / 1000),
    'Lifetime of an issued token. A token issued for a token of this agent never outlasts it.',
  ),
  'limit-lifetime-to-subject': withDefault(
    boolean,
    false,
    '`#false`',
    'Issued tokens never outlast their subject token.',
  ),
  'max-actors': withDefault(
    integer(0, longestChain),
    agentDefaults.maximumActors,
    String(agentDefaults.maximumActors),
    'Maximum length of the actor chain of a token: the current actor and earlier ones (`act`); 0: no delegation.',
  ),
  'claims-copied': list(
    claimName,
    'Claims, or attributes of an assertion, to copy from the subject token. An empty list or `#null`: none.',
    agentDefaults.claimsCopied,
    agentDefaults.claimsCopied.map(code).join(' '),
  ),
  'allowed-exchanges': allowedExchanges(
    'An allowed conversion. The first one that fits a request applies. At least one is required, here or at a client.',
  ),
  'allowed-audiences': list(
    audience,
    'Values of `audience` and `resource` that may be requested; an empty list: only the default. A client uses its own list, otherwise this one, otherwise only the default.',
    [],
    'any, without `clients`',
  ),
  'allowed-scopes': list(
    scopeName,
    'Scopes of the subject token that an issued token may have. If the subject token says nothing about scopes: the scopes that may be requested. An empty list: none.',
    [],
    'those of the subject token',
  ),
  'default-audience': optional(audience, 'The audience of a token requested without a target. Default: the issuer.'),
  'saml-one-time': withDefault(
    boolean,
    true,
    '`#true`',
    'Accept each assertion once. With `#false` only those with `OneTimeUse` are restricted.',
  ),
  'rate-limit': exchangeRateLimit,
  clients: clientsBlock,
};

/** The `token-exchange` block. */
export const tokenExchangeBlock = optionBlock(
  shape,
  'Token exchange (OAuth 2.0, RFC 8693): issues tokens of this agent.',
);

export const toTokenExchangeOptions = (fields: Fields<typeof shape>): TokenExchangeBlockOptions => ({
  enabled: fields.enabled.value,
  endpointPath: fields['endpoint-path'].value,
  jwksPath: fields['jwks-path'].value,
  issuer: fields.issuer.value,
  publicUrl: fields['public-url'].value,
  signingKeyFiles: fields['signing-key-file'].value.map(({ value }) => value),
  signingAlgorithm: fields['signing-algorithm'].value,
  tokenTtlMs: fields['token-ttl-secs'].value,
  limitLifetimeToSubject: fields['limit-lifetime-to-subject'].value,
  maximumActors: fields['max-actors'].value,
  claimsCopied: fields['claims-copied'].value.map(({ value }) => value),
  allowedExchanges: fields['allowed-exchanges'].value,
  allowedAudiences: givenList(fields['allowed-audiences']),
  allowedScopes: givenList(fields['allowed-scopes']),
  defaultAudience: fields['default-audience'].value,
  samlOneTime: fields['saml-one-time'].value,
  rateLimit: fields['rate-limit'].value,
  clients: fields.clients.value?.client.value.map(({ fields: client }) => toExchangeClient(client)) ?? null,
});

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
    'Its secret: `sha256:` and the digest in hexadecimal, a hash as those of `basic-auth-users`, or the secret itself. Several while it changes: any of them will do.',
  ),
  'public-key-file': list(
    text,
    'Paths of PEM files with its public keys, for `private_key_jwt`. Several while they change.',
  ),
  'allowed-exchanges': allowedExchanges(
    'In place of those of the `token-exchange` block: a conversion that is allowed.',
  ),
  'allowed-audiences': list(
    audience,
    'In place of those of the `token-exchange` block: what the client may ask tokens for, as `audience` or `resource`; an empty list: nothing but the default.',
    [],
    'those of the block; none where it has none',
  ),
  'allowed-scopes': list(
    scopeName,
    'In place of those of the `token-exchange` block: scopes that its tokens may have; an empty list: none.',
    [],
    'those of the block',
  ),
  'subject-audiences': list(
    audience,
    'What a token that was issued here has to be meant for, so that the client may exchange it: one of these. The issuer is not among them unless it is named.',
    [],
    'the id of the client',
  ),
};

const clientBlocks = optionBlocks(clientShape, 'A client, which has to authenticate itself.');

const clientsKey = optionBlock(
  { client: clientBlocks },
  'Who may exchange tokens: nobody else. Without it whoever has a token may exchange it.',
);

/** The `clients` block. An empty list is refused: it would say that nobody may, and mean that everybody does. */
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

/** What a list says; null where it was not written. */
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
    'The path at which the public keys are served (a JWK set), which issued tokens are verified with.',
  ),
  issuer: required(
    text,
    'The URL that issued tokens have as `iss`, without query and fragment. Metadata (RFC 8414) is served at `/.well-known/oauth-authorization-server` and its path.',
  ),
  'public-url': optional(
    text,
    'What stands before these paths in the URLs that clients use, as in `https://api.example`. Without it, the origin of the issuer.',
  ),
  'signing-key-file': list(
    text,
    'Paths of the keys: a private key in PEM, or for `HS256` a secret of 32 bytes at least. The first signs; the others are only published, so that tokens stay good while keys change.',
    [],
    'required',
  ),
  'signing-algorithm': withDefault(
    oneOf(signingAlgorithms),
    agentDefaults.signingAlgorithm,
    code(agentDefaults.signingAlgorithm),
    'What the first key signs with. With `HS256` whoever can verify a token can issue one, and no key is published.',
  ),
  'token-ttl-secs': withDefault(
    seconds(1, year),
    agentDefaults.tokenTtlMs,
    String(agentDefaults.tokenTtlMs / 1000),
    'How long an issued token is good. One that is got for a token of ours never outlasts that.',
  ),
  'limit-lifetime-to-subject': withDefault(
    boolean,
    false,
    '`#false`',
    'No issued token outlasts the one that it is got for.',
  ),
  'max-actors': withDefault(
    integer(0, longestChain),
    agentDefaults.maximumActors,
    String(agentDefaults.maximumActors),
    'How many may act for one another in a token, the present actor and those before it (`act`); 0: nobody.',
  ),
  'claims-copied': list(
    claimName,
    'Claims, or attributes of an assertion, that the issued token has from the subject token. An empty list or `#null`: none.',
    agentDefaults.claimsCopied,
    agentDefaults.claimsCopied.map(code).join(' '),
  ),
  'allowed-exchanges': allowedExchanges(
    'A conversion that is allowed. Of several that fit a request the first counts. Without one, here or at a client, there is nothing to exchange.',
  ),
  'allowed-audiences': list(
    audience,
    'What tokens may be asked for, as `audience` or `resource`; an empty list: nothing but the default. Of clients each has a list, its own or this, or nothing but the default.',
    [],
    'anything, where there are no `clients`',
  ),
  'allowed-scopes': list(
    scopeName,
    'Scopes that an issued token may have, of those that the subject token has; where that says nothing of scopes, those that may be asked for. An empty list: none.',
    [],
    'those of the subject token',
  ),
  'default-audience': optional(audience, 'Whom a token is meant for that is asked for nobody. Without it, the issuer.'),
  'saml-one-time': withDefault(
    boolean,
    true,
    '`#true`',
    'Take each assertion once. With `#false` only those once that say so (`OneTimeUse`).',
  ),
  'rate-limit': exchangeRateLimit,
  clients: clientsBlock,
};

/** The `token-exchange` block. */
export const tokenExchangeBlock = optionBlock(shape, 'Exchange of a token for one of ours (OAuth 2.0, RFC 8693).');

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

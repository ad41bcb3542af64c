import { headerName } from '../../configuration/schema/network-kinds.js';
import { list, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { checkedText, oneOf, seconds, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { isPrintableName } from '../token-exchange/printable-name.js';
import { agentDefaults } from './agent-configuration.js';
import { optionBlock } from './option-blocks.js';

/** The algorithms of identity tokens: upstreams verify them with a public key. */
export const identityTokenAlgorithms = ['ES256', 'RS256', 'PS256', 'EdDSA'] as const;
export type IdentityTokenAlgorithm = (typeof identityTokenAlgorithms)[number];

/** Stands for the name of the upstream. */
export const upstreamPlaceholder = '{upstream}';

const audienceTemplate = checkedText('audience', (value) => {
  if (!isPrintableName(value)) return { message: 'must consist of at most 1024 printable characters' };
  return /[{}]/.test(value.replaceAll(upstreamPlaceholder, ''))
    ? { message: `may contain only the placeholder ${upstreamPlaceholder}` }
    : null;
});

const code = (value: string): string => `\`${value}\``;

const shape = {
  issuer: required(text, 'The `iss` of the tokens: a URL without query and fragment.'),
  'signing-key-file': list(
    text,
    'Paths of the keys, PEM private keys. The first key signs; the others are only published, so that tokens stay valid during a key rotation. They are read again with SIGHUP.',
    [],
    'required',
  ),
  'signing-algorithm': withDefault(
    oneOf(identityTokenAlgorithms),
    agentDefaults.identityTokenAlgorithm,
    code(agentDefaults.identityTokenAlgorithm),
    'The algorithm of the first key.',
  ),
  audience: withDefault(
    audienceTemplate,
    upstreamPlaceholder,
    code(upstreamPlaceholder),
    'The `aud` of a token. `{upstream}` is the name of the upstream that receives the request.',
  ),
  header: withDefault(
    headerName,
    agentDefaults.identityTokenHeader,
    code(agentDefaults.identityTokenHeader),
    'Header that receives the token. The gateway removes it from every request of a client.',
  ),
  'ttl-secs': withDefault(
    seconds(2, 3600),
    agentDefaults.identityTokenTtlMs,
    String(agentDefaults.identityTokenTtlMs / 1000),
    'Lifetime of a token. A token is reused for half of it, for the same identity and upstream.',
  ),
  'jwks-path': withDefault(
    text,
    agentDefaults.identityTokenJwksPath,
    code(agentDefaults.identityTokenJwksPath),
    'The path of the JWK set with the public keys, without credentials, on routes that list the agent.',
  ),
};

/** The `identity-token` block. */
export const identityTokenBlock = optionBlock(
  shape,
  'A signed token for the upstream that states the identity (JWT, profile of RFC 9068). Requests without an identity get none.',
);

/** The `identity-token` block with its defaults. */
export interface IdentityTokenOptions {
  readonly issuer: string;
  /** The first signs; the others are only published. At least one. */
  readonly signingKeyFiles: readonly string[];
  readonly signingAlgorithm: IdentityTokenAlgorithm;
  /** May contain `{upstream}`. */
  readonly audience: string;
  readonly header: string;
  readonly ttlMs: number;
  readonly jwksPath: string;
}

export const toIdentityTokenOptions = (fields: Fields<typeof shape>): IdentityTokenOptions => ({
  issuer: fields.issuer.value,
  signingKeyFiles: fields['signing-key-file'].value.map(({ value }) => value),
  signingAlgorithm: fields['signing-algorithm'].value,
  audience: fields.audience.value,
  header: fields.header.value,
  ttlMs: fields['ttl-secs'].value,
  jwksPath: fields['jwks-path'].value,
});

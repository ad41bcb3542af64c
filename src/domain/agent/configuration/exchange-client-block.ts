import { list, required } from '../../configuration/schema/scalar-keys.js';
import { secret, text } from '../../configuration/schema/scalar-kind.js';
import type { Field, Fields, Located } from '../../configuration/schema/schema.js';
import { allowedExchanges } from './allowed-exchanges.js';
import { audience, clientId } from './exchange-kinds.js';
import { optionBlock, optionBlocks } from './option-blocks.js';
import { scopeName } from './scope-name.js';
import type { ExchangeClientBlockOptions } from './token-exchange-options.js';

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
export const clientsBlock: typeof clientsKey = {
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
export const givenList = (field: Field<readonly Located<string>[]>): readonly string[] | null =>
  field.given ? field.value.map(({ value }) => value) : null;

export const toExchangeClient = (fields: Fields<typeof clientShape>): ExchangeClientBlockOptions => ({
  id: fields.name.value,
  secrets: fields.secret.value.map(({ value }) => value),
  publicKeyFiles: fields['public-key-file'].value.map(({ value }) => value),
  allowedExchanges: fields['allowed-exchanges'].given ? fields['allowed-exchanges'].value : null,
  allowedAudiences: givenList(fields['allowed-audiences']),
  allowedScopes: givenList(fields['allowed-scopes']),
  subjectAudiences: givenList(fields['subject-audiences']),
});

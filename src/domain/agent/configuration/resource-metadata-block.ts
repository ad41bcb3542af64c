import { list, required } from '../../configuration/schema/scalar-keys.js';
import { text } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { optionBlocks } from './option-blocks.js';

const shape = {
  resource: required(
    text,
    'The URL of the protected resource, as clients use it, without query and fragment. Its metadata is at `/.well-known/oauth-protected-resource` and its path.',
  ),
  'authorization-servers': list(text, 'The issuers whose tokens the resource accepts.', [], 'required'),
};

/** All `resource-metadata` blocks. */
export const resourceMetadataBlocks = optionBlocks(
  shape,
  'Metadata of a protected resource (RFC 9728): tells clients where to get a token. Every 401 names its URL. With several blocks, the host of a request decides, then the longest path.',
  'resource "https://api.example.com"; authorization-servers "https://id.example.com"',
);

/** A `resource-metadata` block. */
export interface ResourceMetadataOptions {
  readonly resource: string;
  readonly authorizationServers: readonly string[];
}

export const toResourceMetadataOptions = (fields: Fields<typeof shape>): ResourceMetadataOptions => ({
  resource: fields.resource.value,
  authorizationServers: fields['authorization-servers'].value.map(({ value }) => value),
});

import { optionalBlock } from '../../configuration/schema/block-keys.js';
import { pemFilePath } from '../../configuration/schema/grpc-address.js';
import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { checkedText, integer, type ScalarKind } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { err, ok } from '../../shared/result.js';
import { utf8Length } from '../../shared/utf8.js';
import {
  type FixedBody,
  type FixedResponse,
  maxFixedBodyOctets,
  standardContentType,
} from '../route-transforms/fixed-response.js';

const final = integer(200, 599);

/** A redirect needs a Location, and 304 a request with conditions. */
const status: ScalarKind<number> = {
  ...final,
  label: 'integer, 200 to 299 or 400 to 599',
  read: (scalar) => {
    const read = final.read(scalar);
    if (!read.ok || read.value < 300 || read.value > 399) return read;
    return err({
      message: 'must not be a status of redirects',
      suggestion: 'write redirect { to "https://..." } in place of respond',
    });
  },
};

const contentType = checkedText('media type', (value) =>
  /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?: *;[\x20-\x7e]*)?$/.test(value)
    ? null
    : { message: 'must be a media type', suggestion: 'write "text/html; charset=utf-8"' },
);

/** Any text: braces and dollar signs have no meaning in it. */
const bodyText: ScalarKind<string> = {
  label: `string, at most ${maxFixedBodyOctets} bytes`,
  fallback: '',
  secret: false,
  read: ({ value }) => {
    if (typeof value !== 'string') return err({ message: 'must be a string', suggestion: 'write it in quotes' });
    if (utf8Length(value) <= maxFixedBodyOctets) return ok(value);
    return err({ message: `must have at most ${maxFixedBodyOctets} bytes` });
  },
};

const shape = {
  status: withDefault(status, 200, '200', 'Status of the response.'),
  'content-type': optional(contentType, `Type of the body. Without it: \`${standardContentType}\`.`),
  body: optional(bodyText, 'The body. Without it and `body-file`: none.'),
  'body-file': optional(
    pemFilePath,
    `File with the body: UTF-8, at most ${maxFixedBodyOctets} bytes. Read at start and reload.`,
  ),
};

export const respond = optionalBlock(shape, 'Answer every request of the route with the same response.');

const toBody = ({ body, 'body-file': file }: Fields<typeof shape>): FixedBody | null => {
  if (file.value !== null) return { kind: 'file', path: file.value };
  return body.value === null || body.value === '' ? null : { kind: 'text', text: body.value };
};

/** Converts a block `respond` that has no errors. */
export const toFixedResponse = (fields: Fields<typeof shape> | null): FixedResponse | null => {
  if (fields === null) return null;
  const body = toBody(fields);
  const type = fields['content-type'].value ?? standardContentType;
  return { status: fields.status.value, contentType: body === null ? null : type, body };
};

import { optionalBlock } from '../../configuration/schema/block-keys.js';
import { required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { oneOfNumbers, type ScalarKind, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { err, ok } from '../../shared/result.js';
import {
  parseRedirectTarget,
  type RedirectRule,
  type RedirectTarget,
  redirectStatuses,
} from '../route-transforms/redirect.js';

const noTarget: RedirectTarget = { text: '', scheme: '', authority: null, rest: { parts: [] } };

const target: ScalarKind<RedirectTarget> = {
  label: 'URL with placeholders',
  fallback: noTarget,
  secret: false,
  read: (scalar) => {
    const read = text.read(scalar);
    if (!read.ok) return read;
    const parsed = parseRedirectTarget(read.value);
    if (parsed.ok) return ok(parsed.value);
    return scalar.hidden ? err({ message: 'must be a URL with placeholders' }) : err(parsed.error);
  },
};

const shape = {
  to: required(
    target,
    'Where the client goes: `https://{host}{path_query}`, a URL, or a path. Before the path only text and `{host}` may stand.',
  ),
  status: withDefault(
    oneOfNumbers(redirectStatuses, (value) => `must be ${redirectStatuses.join(', ')}, not ${value}`),
    307,
    '307',
    'Status of the response. 301 and 308 are permanent. With 307 and 308 clients keep method and body.',
  ),
};

export const redirectBlock = optionalBlock(shape, 'Send the client to another URL.');

/** Converts a block `redirect` that has no errors. */
export const toRedirect = (fields: Fields<typeof shape> | null): RedirectRule | null =>
  fields === null ? null : { to: fields.to.value, status: fields.status.value };

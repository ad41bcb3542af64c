import { optionalBlock } from '../../configuration/schema/block-keys.js';
import { optional } from '../../configuration/schema/scalar-keys.js';
import { checkedText, oneOf, type ScalarKind } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { err } from '../../shared/result.js';

/** Where the audit log goes: what was decided about whom, and what was done to the gateway. */
export interface AuditConfiguration {
  readonly output: { readonly kind: 'stdout' } | { readonly kind: 'file'; readonly path: string };
}

const fileForm = 'write file "/var/log/portcullis/audit.log"';

/** Written from a root, because several processes write it, whatever directory each was started in. */
const filePath = checkedText('whole path', (value) =>
  /^\/([^/\x00-\x1f\x7f]+\/)*[^/\x00-\x1f\x7f]+$/.test(value)
    ? null
    : { message: 'must be the whole path of a file', suggestion: fileForm },
);

const stdout = oneOf(['stdout']);

/** `file` and a path have a key of their own. */
const output: ScalarKind<'stdout'> = {
  ...stdout,
  read: (scalar) => {
    const read = stdout.read(scalar);
    if (read.ok) return read;
    const meansFile = typeof scalar.value === 'string' && (scalar.value === 'file' || scalar.value.startsWith('/'));
    return meansFile && !scalar.hidden ? err({ ...read.error, suggestion: fileForm }) : read;
  },
};

const shape = {
  output: optional(output, 'Where it goes where there is no `file`. `stdout`, which the block alone means too.'),
  file: optional(filePath, 'File that it is appended to, in place of `output`. It is opened again with each reload.'),
};

export type AuditFields = Fields<typeof shape>;

export const audit = optionalBlock(
  shape,
  'The audit log: who was let in or not, and what was done to the gateway. Without the block none is written.',
);

/** A block `audit` that was read without an error. */
export const toAudit = ({ file }: AuditFields): AuditConfiguration => ({
  output: file.value === null ? { kind: 'stdout' } : { kind: 'file', path: file.value },
});

import { optionalBlock } from '../../configuration/schema/block-keys.js';
import { optional } from '../../configuration/schema/scalar-keys.js';
import { checkedText, oneOf, type ScalarKind } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { err } from '../../shared/result.js';

/** Destination of the audit log, which records decisions about callers and actions on the gateway. */
export interface AuditConfiguration {
  readonly output: { readonly kind: 'stdout' } | { readonly kind: 'file'; readonly path: string };
}

const fileForm = 'write file "/var/log/portcullis/audit.log"';

/** Must be absolute: several processes write the file, each with its own working directory. */
const filePath = checkedText('absolute path', (value) =>
  /^\/([^/\x00-\x1f\x7f]+\/)*[^/\x00-\x1f\x7f]+$/.test(value)
    ? null
    : { message: 'must be an absolute path of a file', suggestion: fileForm },
);

const stdout = oneOf(['stdout']);

/** Suggests the key `file` for the value `file` or a path. */
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
  output: optional(output, 'Destination if `file` is absent. Only `stdout`, which is also the default of the block.'),
  file: optional(
    filePath,
    'File to append to, instead of `output`. A reload opens it again, so rotate it and then reload.',
  ),
};

export type AuditFields = Fields<typeof shape>;

export const audit = optionalBlock(
  shape,
  'Write an audit log of decisions about callers and of actions on the gateway. Without the block there is no audit log.',
);

/** Converts a block `audit` that has no errors. */
export const toAudit = ({ file }: AuditFields): AuditConfiguration => ({
  output: file.value === null ? { kind: 'stdout' } : { kind: 'file', path: file.value },
});

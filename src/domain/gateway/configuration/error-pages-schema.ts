import { required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, checkedText } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { switchedBlock, withSwitch } from '../../configuration/schema/switched-block.js';

const templatePath = checkedText('path', (value) =>
  /[\x00-\x1f\x7f<>]/.test(value)
    ? { message: 'must be the path of a file, not its content', suggestion: 'write the HTML to a file and name it' }
    : null,
);

const shape = {
  enabled: withDefault(boolean, true, '`#true`', '`#false` turns the block off.'),
  'template-file': required(
    templatePath,
    'HTML file of at most 64 KiB, read at start and reload. Placeholders: `{status}`, `{title}`, `{detail}`, `{correlation_id}`; values are escaped.',
  ),
};

export type ErrorPagesFields = Fields<typeof shape>;

/** @param scope which errors the page replaces */
export const errorPages = (scope: string) =>
  withSwitch(
    switchedBlock(shape, null, {
      standard: 'none',
      meaning: `The page for ${scope}, in place of the standard one. Clients get a page if their Accept prefers \`text/html\`.`,
    }),
  );

/** The path of the template; null: the block is absent or turned off. */
export const toErrorPageFile = (fields: ErrorPagesFields | null): string | null =>
  fields?.['template-file'].value ?? null;

import { err, ok, type Result } from '../../shared/result.js';

/** The values of a request that a configuration can name in braces. */
export const placeholderNames = [
  'client_ip',
  'host',
  'method',
  'path',
  'query',
  'path_query',
  'scheme',
  'correlation_id',
  'user_id',
  'route',
  'upstream',
] as const;
export type PlaceholderName = (typeof placeholderNames)[number];

/** The values of one request. Empty: the request has none. */
export type PlaceholderValues = Readonly<Record<PlaceholderName, string>>;

/** A text with placeholders, parsed when the configuration loads. Each part is a literal or the name of a value. */
export interface Template<Name extends string> {
  readonly parts: readonly (string | { readonly placeholder: Name })[];
}

/** A text with placeholders for the values of a request. */
export type PlaceholderTemplate = Template<PlaceholderName>;

/** A brace that looks like a placeholder: lower-case letters and `_`. */
const placeholderForm = /^\{([a-z_]+)\}/;

/**
 * Parses a text with placeholders such as `{client_ip}`. `{{` stands for one `{`. A brace that does not look like a
 * placeholder stands for itself. The error names the unknown placeholder.
 *
 * @param names the placeholders that the text may have
 */
export const parseTemplateOf = <Name extends string>(
  names: readonly Name[],
  text: string,
): Result<Template<Name>, string> => {
  const parts: (string | { readonly placeholder: Name })[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    const brace = text.indexOf('{', at);
    if (brace < 0) break;
    literal += text.slice(at, brace);
    if (text[brace + 1] === '{') {
      literal += '{';
      at = brace + 2;
      continue;
    }
    const found = placeholderForm.exec(text.slice(brace, brace + 64))?.[1];
    if (found === undefined) {
      literal += '{';
      at = brace + 1;
      continue;
    }
    const name = names.find((each) => each === found);
    if (name === undefined) return err(`"{${found}}" is not a placeholder`);
    if (literal !== '') parts.push(literal);
    literal = '';
    parts.push({ placeholder: name });
    at = brace + name.length + 2;
  }
  literal += text.slice(at);
  if (literal !== '') parts.push(literal);
  return ok({ parts });
};

/** Parses a text with placeholders for the values of a request. */
export const parseTemplate = (text: string): Result<PlaceholderTemplate, string> =>
  parseTemplateOf(placeholderNames, text);

const isControl = (code: number): boolean => code < 0x20 || code === 0x7f;

/** Without control characters (U+0000 to U+001F and U+007F), so that a value cannot end a line. */
const withoutControls = (text: string): string => {
  let clean = '';
  let from = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (!isControl(text.charCodeAt(index))) continue;
    clean += text.slice(from, index);
    from = index + 1;
  }
  return from === 0 ? text : clean + text.slice(from);
};

/** Fills in the values of a request. The result has no control characters. */
export const renderTemplate = ({ parts }: PlaceholderTemplate, values: PlaceholderValues): string => {
  let text = '';
  for (const part of parts) text += typeof part === 'string' ? part : values[part.placeholder];
  return withoutControls(text);
};

/** Whether the text depends on the request. */
export const hasPlaceholders = ({ parts }: Template<string>): boolean => parts.some((part) => typeof part !== 'string');

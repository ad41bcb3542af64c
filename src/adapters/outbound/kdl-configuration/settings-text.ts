import type { Setting, SettingScalar } from '../../../domain/configuration/setting/setting.js';

const unit = '  ';

/** Characters that KDL 2 has written as escapes, or that would be lost on a terminal. */
const escaped = (text: string): string =>
  Array.from(text, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    if (character === '\t') return '\\t';
    return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(character)
      ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
      : character;
  }).join('');

const quoted = (text: string): string => `"${escaped(text)}"`;

const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** Words that are no names in KDL 2. */
const keywords = new Set(['true', 'false', 'null', 'inf', 'nan']);

const nameText = (name: string): string => (plainName.test(name) && !keywords.has(name) ? name : quoted(name));

const scalarText = ({ value, reference }: SettingScalar): string => {
  if (reference !== undefined) return `(${reference.kind})${quoted(reference.name)}`;
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'number' ? String(value) : `#${String(value)}`;
};

const lines = (settings: readonly Setting[], indent: string): readonly string[] =>
  settings.flatMap(({ name, args, properties, children }) => {
    const values = [
      ...args.map(scalarText),
      ...properties.map(({ name: property, value }) => `${nameText(property)}=${scalarText(value)}`),
    ];
    const head = [indent + nameText(name), ...values].join(' ');
    if (children === null) return [head];
    return [`${head} {`, ...lines(children, indent + unit), `${indent}}`];
  });

/** Settings in KDL 2 (https://kdl.dev/spec), a line for each. */
export const settingsText = (settings: readonly Setting[]): string =>
  lines(settings, '')
    .map((line) => `${line}\n`)
    .join('');

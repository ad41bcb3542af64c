import { custom } from '../../configuration/schema/block-keys.js';
import { refuseMembers, refuseRepetition } from '../../configuration/schema/read-block.js';
import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, text } from '../../configuration/schema/scalar-kind.js';
import type { Field, Fields, Key } from '../../configuration/schema/schema.js';
import { switchedBlock } from '../../configuration/schema/switched-block.js';
import type { PathRewrite } from '../route-transforms/path-rewrite.js';

/** A regular expression and its replacement, as written. */
export interface WrittenRegex {
  readonly pattern: string;
  readonly replacement: string;
  /** One of them came from a variable or a file: no message may show it. */
  readonly hidden: boolean;
}

const regexMeaning =
  'A regular expression in RE2 syntax, and what replaces its matches: `"^/old/(.*)$" "/new/$1"`. `$1` to `$9` are groups, `$$` is a dollar sign. A path that does not match stays.';

/** `regex "pattern" "replacement"`. */
const regex: Key<WrittenRegex | null> = custom(
  'pattern and replacement',
  'none',
  regexMeaning,
  (key, settings, context): Field<WrittenRegex | null> => {
    const [setting] = settings;
    if (setting === undefined) return { value: null, given: false, sound: true, position: null };
    const { position, args } = setting;
    const unsound = { value: null, given: true, sound: false, position };
    refuseRepetition(settings, context, false);
    if (refuseMembers(setting, context, false) || args.some((arg) => arg.unresolved === true)) return unsound;
    const [first, second, third] = args;
    if (third === undefined && second === undefined && first?.value === null) {
      return { value: null, given: true, sound: settings.length === 1, position };
    }
    const refuse = (message: string, suggestion: string): typeof unsound => {
      context.report.add(message, { position, path: [...context.path, key], suggestion });
      return unsound;
    };
    const example = 'write regex "^/old/(.*)$" "/new/$1"';
    if (first === undefined || second === undefined || third !== undefined) {
      return refuse('"regex" takes a pattern and a replacement', example);
    }
    const pattern = text.read(first);
    if (!pattern.ok) return refuse(`the pattern of "regex" ${pattern.error.message}`, example);
    const replacement = text.read(second);
    if (!replacement.ok) return refuse(`the replacement of "regex" ${replacement.error.message}`, example);
    const value = { pattern: pattern.value, replacement: replacement.value, hidden: first.hidden || second.hidden };
    return { value, given: true, sound: settings.length === 1, position };
  },
);

const shape = {
  enabled: withDefault(boolean, true, '`#true`', '`#false` turns the rewrite off.'),
  'strip-prefix': optional(
    text,
    'Removes these first segments of the path, and sends them to the upstream in `X-Forwarded-Prefix`. A path without them stays.',
  ),
  'add-prefix': optional(text, 'Adds this before the path, after `strip-prefix`.'),
  regex,
  path: optional(text, 'Replaces the whole path.'),
  location: withDefault(
    boolean,
    true,
    '`#true`',
    'Turn back `Location`, `Content-Location`, `Refresh`, and `Path` and `Domain` of cookies, where a rewrite or `host-header` of the upstream changes them. A `__Host-` cookie keeps `Path=/`.',
  ),
};

export type RewriteFields = Fields<typeof shape>;

/** The keys of `policies` that determine the path for the upstream. */
export const pathPolicyShape = {
  rewrite: switchedBlock(shape, null, {
    standard: 'none',
    meaning:
      'Change the path for the upstream. Routes, agents and limits see the path of the client. Set `strip-prefix` and `add-prefix`, or `regex`, or `path`.',
  }),
  'allow-encoded-slash': withDefault(
    boolean,
    false,
    '`#false`',
    'Forward `%2F` and `%5C` in paths, which get 400 otherwise. Routes and policies see them encoded. A path with a dot segment or an empty segment once they are decoded gets 400.',
  ),
  'merge-slashes': withDefault(
    boolean,
    true,
    '`#true`',
    '`#false`: the upstream gets repeated slashes as they came. Routes, agents and limits see them merged.',
  ),
};

/** How a route forwards paths. */
export interface PathPolicy {
  /** Null: the path does not change. */
  readonly rewrite: PathRewrite | null;
  /** Turns back the heads of responses where a rewrite or the upstream's Host changes them. */
  readonly turnsBack: boolean;
  /** `%2F` and `%5C` reach the upstream. */
  readonly allowEncodedSlash: boolean;
  /** False: the upstream gets repeated slashes. */
  readonly mergeSlashes: boolean;
}

const toRewrite = (fields: RewriteFields): PathRewrite | null => {
  const { 'strip-prefix': strip, 'add-prefix': add, regex: written, path } = fields;
  if (written.value !== null) {
    const { pattern, replacement } = written.value;
    return { kind: 'regex', pattern, replacement };
  }
  if (path.value !== null) return { kind: 'path', path: path.value };
  return strip.value === null && add.value === null ? null : { kind: 'prefix', strip: strip.value, add: add.value };
};

/** Converts keys that have no errors. */
export const toPathPolicy = (policies: Fields<typeof pathPolicyShape>): PathPolicy => {
  const { rewrite, 'allow-encoded-slash': encoded, 'merge-slashes': merge } = policies;
  const fields = rewrite.value?.enabled.value === true ? rewrite.value : null;
  return {
    rewrite: fields === null ? null : toRewrite(fields),
    turnsBack: fields === null || fields.location.value,
    allowEncodedSlash: encoded.value,
    mergeSlashes: merge.value,
  };
};

import { expressionRemedy } from '../../configuration/schema/foreign-patterns.js';
import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import type { Field } from '../../configuration/schema/schema.js';
import {
  canonicalCharacters,
  type EncodedSeparators,
  normalisePath,
  prefixTakes,
} from '../../http/path-normalisation.js';
import { ok } from '../../shared/result.js';
import { highestGroup, type PathReplacement, parseReplacement } from '../route-transforms/path-replacement.js';
import type { PatternFault } from '../routing/path-pattern.js';
import type { ReadRoute } from './read-gateway.js';
import type { RewriteFields, WrittenRegex } from './rewrite-schema.js';

type ReadPolicies = ReadRoute['fields']['policies']['value'];
type PathKey = 'strip-prefix' | 'add-prefix' | 'path';

/** Reports a problem of `rewrite`. */
type Refuse = (message: string, field: Field<unknown>, suggestion: string) => void;

/** The encoded separators that the paths of a route may have. */
export const separatorsOf = (policies: ReadPolicies): EncodedSeparators =>
  policies['allow-encoded-slash'].value ? 'keep' : 'refuse';

const needsSlash = (key: PathKey, field: Field<string | null>, refuse: Refuse): void => {
  const shown = field.hidden === true ? 'begin it with /' : `write "/${field.value}"`;
  refuse(`"${key}" must begin with a slash`, field, shown);
};

/** A path that the gateway would forward otherwise than written, or never. */
const checkPath = (key: PathKey, fields: RewriteFields, separators: EncodedSeparators, refuse: Refuse): void => {
  const field = fields[key];
  if (!field.sound || field.value === null) return;
  if (!field.value.startsWith('/')) {
    needsSlash(key, field, refuse);
    return;
  }
  if (field.value === '/' && key !== 'path') {
    refuse(`"${key}" "/" changes nothing`, field, `delete the line, or write ${key} "/api"`);
    return;
  }
  if (field.value.includes('?')) {
    refuse(`"${key}" must not contain a query: the query never changes`, field, 'delete the text from the "?"');
    return;
  }
  const normal = normalisePath(field.value, separators);
  if (normal.ok && normal.value === field.value) return;
  const known = normal.ok && field.hidden !== true;
  const suggestion = known
    ? `write "${normal.value}"`
    : 'remove dot segments, %00, backslashes, and %2F unless allow-encoded-slash is #true';
  refuse(`"${key}" must be a path in normal form`, field, suggestion);
};

/** Whether an anchored regex always gives a path without a slash at its beginning. */
const losesSlash = (pattern: string, replacement: PathReplacement): boolean => {
  const [first] = replacement;
  if (!pattern.startsWith('^')) return false;
  return first === undefined
    ? /^\^\/?(?:\.\*)?\$?$/.test(pattern)
    : typeof first === 'string' && !first.startsWith('/');
};

/**
 * Why every path that a replacement makes is refused, as the end of a sentence; null: not every path is. Groups and the
 * text around a match may complete an escape or a segment at the ends of a literal.
 */
const literalFault = (pattern: string, replacement: PathReplacement, separators: EncodedSeparators): string | null => {
  let example = '';
  for (const part of replacement) {
    const text =
      typeof part === 'string' ? canonicalCharacters(part.replace(/%[0-9A-Fa-f]?$/, ''), separators) : ok('x');
    if (!text.ok) {
      return text.error === 'unsafe_path'
        ? 'contains %2F, %5C or %00'
        : 'has a character or an escape that no path has';
    }
    example += text.value;
  }
  const segments = example.split('/').slice(1, pattern.endsWith('$') ? undefined : -1);
  return segments.some((segment) => segment === '.' || segment === '..') ? 'contains a dot segment' : null;
};

const checkRegex = (
  field: Field<WrittenRegex | null>,
  separators: EncodedSeparators,
  patternFault: PatternFault,
  refuse: Refuse,
): void => {
  if (!field.sound || field.value === null) return;
  const { pattern, replacement, hidden } = field.value;
  const parts = parseReplacement(replacement);
  if (!parts.ok) {
    refuse(`the replacement of "regex" ${hidden ? 'is not valid' : parts.error}`, field, 'write "/new/$1"');
    return;
  }
  const literal = literalFault(pattern, parts.value, separators);
  if (literal !== null) {
    refuse(`the replacement of "regex" ${hidden ? 'is not valid' : literal}`, field, 'write "/new/$1"');
    return;
  }
  const fault = patternFault(pattern, highestGroup(parts.value));
  if (fault !== null) {
    const suggestion = expressionRemedy(hidden ? '' : pattern);
    refuse(`"regex" is not valid${hidden ? '' : `: ${fault}`}`, field, suggestion);
  } else if (losesSlash(pattern, parts.value)) {
    refuse('the replacement of "regex" must begin with a slash', field, 'write "/new/$1"');
  }
};

/** Refuses keys that exclude each other, and a block that changes nothing. */
const checkKinds = (fields: RewriteFields, block: Field<unknown>, refuse: Refuse): void => {
  const isSet = (field: Field<unknown>): boolean => field.given && (!field.sound || field.value !== null);
  const prefix = (['strip-prefix', 'add-prefix'] as const).find((key) => isSet(fields[key]));
  const [first, second] = [
    ...(prefix === undefined ? [] : [prefix]),
    ...(['regex', 'path'] as const).filter((key) => isSet(fields[key])),
  ];
  if (first !== undefined && second !== undefined) {
    refuse(`"${first}" and "${second}" of "rewrite" exclude each other`, fields[second], 'keep one of them');
  } else if (first === undefined && !fields.location.given) {
    refuse('"rewrite" changes nothing', block, 'write strip-prefix "/api", add-prefix, regex or path');
  }
};

/** Whether a path of a route can begin with a prefix. */
const mayStrip = (strip: string, { paths, prefixes }: { paths: readonly string[]; prefixes: readonly string[] }) =>
  paths.some((path) => prefixTakes(strip, path)) ||
  prefixes.some((prefix) => prefixTakes(strip, prefix) || prefixTakes(prefix, strip) || strip === `${prefix}/`);

const warnOfUselessStrip = (
  route: ReadRoute,
  { 'strip-prefix': strip }: RewriteFields,
  report: ProblemReport,
): void => {
  const matches = route.fields.matches.value;
  if (!strip.sound || strip.value?.startsWith('/') !== true || matches['path-regex'].given) return;
  const paths = matches.path.value.map(({ value }) => value);
  const prefixes = matches['path-prefix'].value.map(({ value }) => value);
  if (paths.length + prefixes.length === 0 || mayStrip(strip.value, { paths, prefixes })) return;
  report.add('"strip-prefix" never applies: no path of the route begins with it', {
    position: strip.position,
    path: ['routes', `route "${route.name.value}"`, 'policies', 'rewrite'],
    severity: 'warning',
    suggestion: 'write the prefix of the route, or delete the line',
  });
};

/** Checks `rewrite` of a route. */
export const checkRewrite = (route: ReadRoute, patternFault: PatternFault, report: ProblemReport): void => {
  const policies = route.fields.policies.value;
  const { rewrite } = policies;
  const fields = rewrite.value;
  if (fields === null || !rewrite.sound) return;
  const refuse: Refuse = (message, field, suggestion) =>
    report.add(message, {
      position: field.position ?? rewrite.position,
      path: ['routes', `route "${route.name.value}"`, 'policies', 'rewrite'],
      suggestion,
    });
  checkKinds(fields, rewrite, refuse);
  for (const key of ['strip-prefix', 'add-prefix', 'path'] as const) {
    checkPath(key, fields, separatorsOf(policies), refuse);
  }
  checkRegex(fields.regex, separatorsOf(policies), patternFault, refuse);
  warnOfUselessStrip(route, fields, report);
};

/**
 * Refuses the keys for the upstream's path on a route that forwards nothing. Routes that redirect or respond can match
 * encoded separators; built-in ones cannot.
 */
export const refusePathPolicies = (
  { policies, 'builtin-handler': handler }: ReadRoute['fields'],
  refuse: (what: string, field: Field<unknown>) => void,
): void => {
  const { rewrite, 'allow-encoded-slash': encoded, 'merge-slashes': merge } = policies.value;
  if (rewrite.value !== null) refuse('"rewrite"', rewrite);
  if (handler.given && encoded.sound && encoded.value) refuse('"allow-encoded-slash"', encoded);
  if (merge.sound && !merge.value) refuse('"merge-slashes"', merge);
};

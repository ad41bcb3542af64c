import { decodesToUnsafeSegments } from '../../http/decoded-path.js';
import {
  canonicalCharacters,
  type EncodedSeparators,
  hidesDots,
  normalisePath,
  prefixTakes,
} from '../../http/path-normalisation.js';
import { withMergedSlashes } from '../../http/received-path.js';
import { err, ok, type Result } from '../../shared/result.js';
import type { PathPatternCompiler } from '../routing/path-pattern.js';
import { literalPrefixes, parseReplacement, replaceMatches } from './path-replacement.js';
import { literalTurnBack, type PathTurnBack, prefixTurnBack } from './path-turn-back.js';

/** How a route changes the path for its upstream. */
export type PathRewrite =
  | { readonly kind: 'prefix'; readonly strip: string | null; readonly add: string | null }
  | { readonly kind: 'regex'; readonly pattern: string; readonly replacement: string }
  | { readonly kind: 'path'; readonly path: string };

/** A rewrite, compiled when the configuration loads. Its functions are pure. */
export interface CompiledRewrite {
  /** Rewrites a normalised path. The result is not checked. */
  readonly apply: (path: string) => string;
  /** Rewrites a path with repeated slashes in the same way; null: the slashes are merged. */
  readonly applyReceived: ((path: string, received: string) => string) | null;
  /** The prefix that the upstream does not see; null: none is removed from this path. */
  readonly removedPrefix: (path: string) => string | null;
  /** Null: the rewrite cannot be turned back. */
  readonly turnBack: PathTurnBack | null;
}

/** The rules of a route for the path that its upstream gets. */
export interface ForwardedPathRules {
  /** Null: the path does not change. */
  readonly rewrite: CompiledRewrite | null;
  /** `%2F` and `%5C` reach the upstream. */
  readonly allowsEncodedSlash: boolean;
  /** False: the upstream gets repeated slashes. */
  readonly mergesSlashes: boolean;
}

/** Matches of a regex that are replaced in one path. A path with more has no result. */
const maxMatches = 32;

/** Largest rewritten path; octets. */
const maxRewrittenOctets = 16_384;

export const withoutLastSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

/** The rest of a received path after a prefix of its normal form. Slashes count as one, escapes in any case. */
const restOfReceived = (received: string, prefixLength: number): string => {
  let at = 0;
  for (let length = 0; length < prefixLength; length += 1) {
    if (received[at] === '/') while (received[at + 1] === '/') at += 1;
    at += 1;
  }
  return received.slice(at);
};

const joined = (prefix: string, rest: string): string => {
  const text = rest.startsWith('/') ? withoutLastSlash(prefix) + rest : prefix + rest;
  return text === '' ? '/' : text;
};

const prefixRewrite = (strip: string | null, add: string): CompiledRewrite => {
  const stripped = withoutLastSlash(strip ?? '');
  const isStripped = (path: string): boolean => strip !== null && prefixTakes(strip, path);
  return {
    apply: (path) => joined(add, isStripped(path) ? path.slice(stripped.length) : path),
    applyReceived: (path, received) =>
      joined(add, isStripped(path) ? restOfReceived(received, stripped.length) : received),
    removedPrefix: (path) => (isStripped(path) ? stripped : null),
    turnBack: prefixTurnBack((path) => (isStripped(path) ? stripped : ''), withoutLastSlash(add)),
  };
};

const regexRewrite = (
  pattern: string,
  replacement: string,
  compilePattern: PathPatternCompiler,
): Result<CompiledRewrite, string> => {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) return compiled;
  const parts = parseReplacement(replacement);
  if (!parts.ok) return parts;
  const prefixes = literalPrefixes(pattern, parts.value);
  return ok({
    apply: (path) => {
      const matches = compiled.value.matches(path, maxMatches + 1);
      return matches.length > maxMatches ? '' : replaceMatches(path, matches, parts.value);
    },
    applyReceived: null,
    removedPrefix: () => null,
    turnBack: prefixes === null ? null : literalTurnBack(prefixes),
  });
};

/** Compiles a rewrite. The error is a message for the user. */
export const compileRewrite = (
  rewrite: PathRewrite,
  compilePattern: PathPatternCompiler,
): Result<CompiledRewrite, string> => {
  switch (rewrite.kind) {
    case 'prefix':
      return ok(prefixRewrite(rewrite.strip, rewrite.add ?? ''));
    case 'regex':
      return regexRewrite(rewrite.pattern, rewrite.replacement, compilePattern);
    case 'path':
      return ok({ apply: () => rewrite.path, applyReceived: null, removedPrefix: () => null, turnBack: null });
  }
};

const isDotSegment = (segment: string): boolean => segment === '.' || segment === '..' || hidesDots(segment);

/**
 * The normal form of a rewritten path. The error says why the path must not be forwarded, as the end of a sentence.
 */
const checkedPath = (path: string, separators: EncodedSeparators): Result<string, string> => {
  if (!path.startsWith('/')) return err('does not begin with a slash');
  if (path.length > maxRewrittenOctets) return err('is too long');
  const text = canonicalCharacters(path, separators);
  if (!text.ok) {
    return err(text.error === 'unsafe_path' ? 'contains %2f, %5c, %00 or a backslash' : 'is not a valid path');
  }
  if (text.value.split('/').some(isDotSegment)) return err('contains a dot segment');
  const normal = normalisePath(text.value, separators);
  if (!normal.ok) return err('is not a valid path');
  const isUnsafe = decodesToUnsafeSegments(normal.value, { emptySegments: separators === 'keep' });
  return isUnsafe ? err('contains a dot segment once it is decoded') : normal;
};

/**
 * The path for the upstream: a pure function of the rules and of the client's path. With slashes merged and normalised
 * it is the rewritten normal form. The error says what is wrong with the result, as the end of a sentence.
 *
 * @param path the client's path, normalised
 * @param received the same path with slashes and encoded separators as received
 */
export const forwardedPath = (
  { rewrite, allowsEncodedSlash, mergesSlashes }: ForwardedPathRules,
  path: string,
  received: string,
): Result<string, string> => {
  const kept = mergesSlashes ? withMergedSlashes(received) : received;
  if (rewrite === null) return ok(kept);
  const checked = checkedPath(rewrite.apply(path), allowsEncodedSlash ? 'keep' : 'refuse');
  if (!checked.ok || rewrite.applyReceived === null) return checked;
  return ok(rewrite.applyReceived(path, kept));
};

/** A pattern in the notation of another program, in a key that takes literal text. */
export interface ForeignPattern {
  /** The replacement, as the rest of a sentence that begins with "write". */
  readonly instead: string;
  /** False if the text may also be literal. */
  readonly isCertain: boolean;
}

/** Longer texts are not examined. */
const longest = 2048;

/** A KDL string; a raw string if the text contains a backslash or a quote. */
const quoted = (text: string): string => (/["\\]/.test(text) ? `#"${text}"#` : `"${text}"`);

const certain = (instead: string): ForeignPattern => ({ instead, isCertain: true });

/**
 * A placeholder in a path: `**`, `*`, `{id}`, `{id:[0-9]+}`, `<int:id>`, `[id]`, `:id` or `*rest`. The last four are
 * whole segments.
 */
const placeholder = /\*\*|\*|\{[^{}/]*\}|<[^<>/]*>|(?<=\/)(?::[A-Za-z_][\w-]*|\[\.{0,3}[A-Za-z_][\w-]*\])(?=\/|$)/g;

/** The regular expression that is equivalent to a placeholder. */
const expressionOf = (found: string, isSegment: boolean): string => {
  if (found === '**' || /^\{\*|^\{[\w-]+(?:\+|\.\.\.)\}$|^\[\.\.\./.test(found)) return '.*';
  if (found === '*') return isSegment ? '[^/]+' : '[^/]*';
  const own = /^\{[^:{}]*:(.+)\}$/.exec(found)?.[1];
  return own === undefined ? '[^/]+' : `(?:${own})`;
};

const escaped = (literal: string): string => literal.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');

/** The end of the regular expression for a whole path, or for its first segments. */
const endOf = { path: '$', 'path-prefix': '(?:/|$)' } as const;

type PathKey = keyof typeof endOf;

/** Converts a path with placeholders to a regular expression. */
const asExpression = (path: string, key: PathKey): string => {
  let expression = '^';
  let from = 0;
  for (const found of path.matchAll(placeholder)) {
    const end = found.index + found[0].length;
    const isSegment = path.charAt(found.index - 1) === '/' && (end === path.length || path.charAt(end) === '/');
    expression += escaped(path.slice(from, found.index)) + expressionOf(found[0], isSegment);
    from = end;
  }
  return `${expression}${escaped(path.slice(from))}${endOf[key]}`;
};

const hasPlaceholder = (path: string): boolean => path.search(placeholder) >= 0;

/** Signs of a regular expression that a literal path is unlikely to contain. */
const looksLikeExpression = (path: string): boolean =>
  /\.[*+]|\(\?|\(.*\|.*\)|\\[dws./]|\[[^\]]*-[^\]]*\]|.\$$/.test(path);

const anchored = (expression: string): string => (expression.startsWith('^') ? expression : `^${expression}`);

/** The path of an nginx location after `~`, `~*`, `^~` or `=`. */
const nginxLocation = (text: string): string | null => {
  const parts = /^(~\*|~|\^~|=)\s*(\S.*)$/.exec(text);
  if (parts === null) return null;
  const [, modifier, path = ''] = parts;
  if (modifier === '=') return `path ${quoted(path)}`;
  if (modifier === '^~') return `path-prefix ${quoted(path)}`;
  return `path-regex ${quoted(modifier === '~*' ? `(?i)${path}` : path)}`;
};

const traefikKeys: Readonly<Record<string, string>> = {
  path: 'path',
  pathprefix: 'path-prefix',
  pathregexp: 'path-regex',
  host: 'host',
  method: 'method',
};

/** A Traefik matcher, such as `PathPrefix(`/x`)`. */
const traefikMatcher = (text: string): string | null => {
  const parts = /^([A-Za-z]{4,11})\(\s*[`'"]([^`'"]*)[`'"]/.exec(text);
  const key = traefikKeys[(parts?.[1] ?? '').toLowerCase()];
  return key === undefined ? null : `${key} ${quoted(parts?.[2] ?? '')}`;
};

/** `https://host/path`. */
const wholeUrl = (text: string): string | null => {
  const parts = /^https?:\/\/([^/?#@\s]+)(\/[^?#\s]*)?$/i.exec(text);
  if (parts === null) return null;
  const host = (parts[1] ?? '').replace(/:\d+$/, '');
  return `host "${host}"; path-prefix ${quoted(parts[2] ?? '/')}`;
};

const withoutSlash = (text: string): ForeignPattern | null => {
  if (/^\*+$/.test(text)) return certain('path-prefix "/"');
  const named = nginxLocation(text) ?? traefikMatcher(text) ?? wholeUrl(text);
  if (named !== null) return certain(named);
  if (text.startsWith('^')) return certain(`path-regex ${quoted(text)}`);
  const suffix = /^\*(\.[A-Za-z0-9]+)$/.exec(text)?.[1];
  return suffix === undefined ? null : certain(`path-regex ${quoted(`${escaped(suffix)}$`)}`);
};

/** A path with a query, such as `/search?q=1`. */
const withQuery = (text: string): string | null => {
  const parts = /^([^?#]+)\?([\w.~-]+)(?:=([\w.~-]+))?$/.exec(text);
  if (parts === null) return null;
  return `path "${parts[1]}"; query-param "${parts[2]}"${parts[3] === undefined ? '' : ` "${parts[3]}"`}`;
};

/**
 * The meaning of a `path` or `path-prefix` in the notation of nginx, Traefik, Envoy, Express, OpenAPI and others; null:
 * it is literal. A trailing `/*` and characters that no normalised path contains are certainly patterns. Other stars,
 * `:id` and `[id]` may be literal (RFC 3986, section 3.3).
 */
export const foreignPathPattern = (text: string, key: PathKey): ForeignPattern | null => {
  if (text.length > longest) return null;
  if (!text.startsWith('/')) return withoutSlash(text);
  const prefix = /^(.*)\/\*{1,2}$/.exec(text)?.[1];
  if (prefix !== undefined && !hasPlaceholder(prefix)) return certain(`path-prefix ${quoted(prefix || '/')}`);
  if (prefix !== undefined)
    return certain(`path-regex ${quoted(asExpression(`${prefix}/`, 'path').replace(/\$$/, ''))}`);
  const query = withQuery(text);
  if (query !== null) return certain(query);
  if (looksLikeExpression(text) && !/[{<]/.test(text)) {
    const isCertain = /[\\?^|]/.test(text);
    const below = /^(\/[\w/-]*?)\/?(?:\.\*|\(\.\*\))\$?$/.exec(text)?.[1];
    const instead = below === undefined ? `path-regex ${quoted(anchored(text))}` : `path-prefix ${quoted(below)}`;
    return { instead, isCertain };
  }
  if (!hasPlaceholder(text)) return null;
  const whole = /^([^*]*)\*+$/.exec(text)?.[1];
  if (whole !== undefined && !hasPlaceholder(whole)) {
    return { instead: `path-prefix ${quoted(whole)}, or path-regex ${quoted(`^${escaped(whole)}`)}`, isCertain: false };
  }
  return { instead: `path-regex ${quoted(asExpression(text, key))}`, isCertain: /[{<]/.test(text) };
};

/** The meaning of a `path-regex` that is also a pattern in another notation; null: it is only a regular expression. */
export const foreignExpression = (text: string): ForeignPattern | null => {
  if (text.length > longest) return null;
  const star = /^\^?((?:\/[\w-]+)*)\/\*{1,2}$/.exec(text)?.[1];
  if (star !== undefined) return { instead: `path-prefix ${quoted(star || '/')}`, isCertain: false };
  const hasName = /\/(?:\{[A-Za-z_][\w-]*\}|:[A-Za-z_][\w-]*)(?:\/|\$?$)/.test(text);
  const path = text.replace(/^\^/, '').replace(/\$$/, '');
  if (!hasName || !/^(?:\/(?:[\w.~-]+|\{[A-Za-z_][\w-]*\}|:[A-Za-z_][\w-]*))+$/.test(path)) return null;
  return { instead: `path-regex ${quoted(asExpression(path, 'path'))}`, isCertain: false };
};

/** The remedy for a `host` in another notation; null: it is not one. */
export const foreignHostPattern = (text: string): string | null => {
  if (text.length > longest) return null;
  if (text === '*' || text === '*.*' || text === '_') return 'delete host: a route without it matches every host';
  const matcher = /^HostRegexp\(/i.test(text) ? null : traefikMatcher(text);
  if (matcher !== null) return `write ${matcher}`;
  const url = /^https?:\/\/([^/?#@\s:]+)(?::\d+)?(?:\/.*)?$/i.exec(text)?.[1];
  if (url !== undefined) return `write host "${url}"`;
  const below = /^\*?\.([^*]+)$/.exec(text)?.[1];
  if (text.startsWith('.') && below !== undefined) return `write host "${below}" "*.${below}"`;
  const parent = /^(?:\*[^.*]*|[^.*]*\*|\{[^{}]*\}|:[^.]*|\*\*)\.([^*{}:]+\.[^*{}:.]+)$/.exec(text)?.[1];
  if (parent !== undefined) return `write host "*.${parent}": a star replaces whole labels at the beginning`;
  if (/[*^$|()\\{}~]/.test(text)) {
    return 'list each host: host "a.example.com" "b.example.com"; or use "*.example.com" for all subdomains';
  }
  return /[,\s]/.test(text) ? 'write each host in its own quotes: host "a.example.com" "b.example.com"' : null;
};

/** What to do about a regular expression that RE2 refuses. */
export const expressionRemedy = (pattern: string): string => {
  const foreign = foreignExpression(pattern);
  if (foreign !== null) return `write ${foreign.instead}`;
  if (/\(\?<?[=!]/.test(pattern)) {
    return 'RE2 has no look-around: write a second route with a higher priority for the exception';
  }
  if (/\\[1-9]/.test(pattern)) return 'RE2 has no back-references: write the alternatives side by side, as in (aa|bb)';
  return 'see https://github.com/google/re2/wiki/Syntax';
};

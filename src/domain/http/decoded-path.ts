import { hexValue } from './path-normalisation.js';

/** Decodes every valid escape, each to the character with the code of its octet. Malformed escapes stay. */
const decoded = (path: string): string => {
  let text = '';
  let from = 0;
  for (let index = path.indexOf('%'); index >= 0; index = path.indexOf('%', index + 1)) {
    const high = hexValue(path.charCodeAt(index + 1));
    const low = hexValue(path.charCodeAt(index + 2));
    if (high < 0 || low < 0) continue;
    text += path.slice(from, index) + String.fromCharCode(high * 16 + low);
    from = index + 3;
    index += 2;
  }
  return from === 0 ? path : text + path.slice(from);
};

/** Whether a normalised path has `%2F` or `%5C`. */
export const hasEncodedSeparator = (path: string): boolean => {
  for (let index = path.indexOf('%'); index >= 0; index = path.indexOf('%', index + 1)) {
    const code = path.slice(index + 1, index + 3);
    if (code === '2F' || code === '5C') return true;
  }
  return false;
};

/** A dot segment, also with parameters (`..;x`), as servers read it that drop them. */
const isDotSegment = (segment: string): boolean => {
  const end = segment.indexOf(';');
  const name = end < 0 ? segment : segment.slice(0, end);
  return name === '.' || name === '..';
};

interface SegmentRules {
  /** Empty segments count too, except a last one. */
  readonly emptySegments: boolean;
}

const hasUnsafeSegment = (path: string, { emptySegments }: SegmentRules): boolean => {
  const segments = path.slice(1).split(/[/\\]/);
  return segments.some(
    (segment, index) => isDotSegment(segment) || (emptySegments && segment === '' && index < segments.length - 1),
  );
};

/** The forms that upstreams read which decode a normalised path once or twice. */
export const decodedForms = (path: string): readonly string[] => {
  if (!path.includes('%')) return [];
  const once = decoded(path);
  const twice = decoded(once);
  return twice === once ? [once] : [once, twice];
};

/**
 * Whether a normalised path has a dot segment or an empty segment once its escapes are decoded, once or twice. A
 * backslash separates segments too, as in some servers.
 */
export const decodesToUnsafeSegments = (path: string, rules: SegmentRules): boolean =>
  decodedForms(path).some((form) => hasUnsafeSegment(form, rules));

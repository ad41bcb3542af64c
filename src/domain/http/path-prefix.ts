/**
 * Whether a prefix takes a path, by whole segments: `/v2` takes `/v2` and `/v2/x`, not `/v2x`. A prefix that ends in a
 * slash takes what is below it and not the name itself: `/v2/` takes `/v2/` and `/v2/x`, not `/v2`. `/` takes all.
 */
export const prefixTakes = (prefix: string, path: string): boolean =>
  path.startsWith(prefix) &&
  (path.length === prefix.length || prefix.endsWith('/') || path.charCodeAt(prefix.length) === 0x2f);

interface UrlParts {
  /** Scheme and authority, as in `https://app.example`. */
  readonly origin: string;
  /** Without query and fragment; `/` where there is none. */
  readonly path: string;
}

/** Takes an absolute URL of http or https apart (RFC 3986), which has been found to be one. */
export const urlParts = (url: string): UrlParts => {
  const authority = url.indexOf('://') + '://'.length;
  const end = (marks: readonly string[], from: number): number =>
    Math.min(url.length, ...marks.map((mark) => url.indexOf(mark, from)).filter((index) => index >= 0));
  const path = end(['/', '?', '#'], authority);
  return { origin: url.slice(0, path), path: url.slice(path, end(['?', '#'], path)) || '/' };
};

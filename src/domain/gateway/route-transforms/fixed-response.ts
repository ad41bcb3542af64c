/** Largest body of a `respond` route, in octets: every worker keeps it in memory. */
export const maxFixedBodyOctets = 1_048_576;

/** The response of a route that the configuration holds. */
export interface FixedResponse {
  readonly status: number;
  /** Null: no Content-Type, because there is no body. */
  readonly contentType: string | null;
  readonly body: FixedBody | null;
}

/** `file`: the path of a UTF-8 text, which is read when the configuration loads. */
export type FixedBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

/** The type of a body without `content-type`. */
export const standardContentType = 'text/plain; charset=utf-8';

/** Responses that have no content (RFC 9110, sections 15.3.5 and 15.3.6). */
export const hasNoContent = (status: number): boolean => status === 204 || status === 205;

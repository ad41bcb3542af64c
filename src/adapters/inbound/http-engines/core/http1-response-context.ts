/** What of a request counts for the response to it. */
export interface Http1ResponseContext {
  readonly minorVersion: 0 | 1;
  readonly isHead: boolean;
  readonly wantsWebSocket: boolean;
}

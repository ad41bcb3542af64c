import type { BodySource } from '../../ports/gateway/body-source.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';

/** The response with another body, and what of its head that leaves as it is. */
export const withBody = (
  { status, headers, received, tunnel }: UpstreamResponse,
  body: BodySource | null,
  isBodyLate: boolean,
): UpstreamResponse => ({ status, headers, received, body, isBodyLate, tunnel });

import type { UpstreamListener, UpstreamRequest } from '../../../../application/ports/gateway/upstream-client.js';

/** Methods that may be sent again without asking (RFC 9110, section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a connection ended as it does where the other side has closed it. Null: without an error. */
const isClosed = (error: NodeJS.ErrnoException | null): boolean =>
  error === null || error.code === 'ECONNRESET' || error.code === 'EPIPE';

/**
 * Whether a request whose connection ended like this may be sent once more. That connection had served before, and has
 * not brought an octet for this request: it was closing while the request was on its way, and the upstream has most
 * likely never seen it.
 *
 * @param isUnwritten no octet of it has gone out: then it certainly has not, whatever the request is
 */
export const takesRepetition = (
  request: UpstreamRequest,
  error: Error | null,
  isUnwritten: boolean,
  listener: UpstreamListener,
): boolean =>
  isClosed(error) &&
  (isUnwritten ||
    (request.body === null &&
      safeMethods.has(request.method) &&
      // Last, because it takes a retry of those that there are.
      listener.mayRepeat()));

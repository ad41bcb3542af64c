import type { Socket } from 'node:net';

/** Of Node's parser: what it calls with the first octet of a message. */
const messageBegin = 0;

/**
 * Has `begun` called with the first octet of each request from now on; empty lines before it are none of it (RFC 9112,
 * section 2.2). Node has no public way to tell. Should its own change, `begun` is not called: whoever relies on it has to
 * bear that.
 */
export const onMessageBegin = (socket: Socket, begun: () => void): void => {
  const { parser } = socket as { readonly parser?: Record<number, unknown> | null };
  if (parser) parser[messageBegin] = begun;
};

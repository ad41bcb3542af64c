import { IncomingMessage } from 'node:http';

/** RFC 6455, section 4.2.1: a GET of HTTP/1.1 that names the websocket protocol. */
const asksForWebSocket = (message: IncomingMessage): boolean => {
  if (message.method !== 'GET' || message.httpVersion !== '1.1') return false;
  const { rawHeaders } = message;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if ((rawHeaders[index] as string).toLowerCase() === 'upgrade') {
      return (rawHeaders[index + 1] as string).toLowerCase() === 'websocket';
    }
  }
  return false;
};

/** Requests whose Upgrade header the parser has taken for one. */
const upgrading = new WeakSet<IncomingMessage>();

/**
 * A request that Node takes for an upgrade only where it is one to WebSocket. Without this, a server that listens for
 * upgrades at all would have to give away the connection of every request with an Upgrade header, h2c among them.
 */
export class FilteredIncomingMessage extends IncomingMessage {
  /** Told, before the next event, that no more is read of the connection until somebody reads this message. */
  onFull: (() => void) | null = null;

  /** Node sets it when the head has been parsed, and asks it to find out what to do with the connection. */
  declare upgrade: boolean;

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    const takesMore = super.push(chunk, encoding);
    if (!takesMore && this.onFull !== null) queueMicrotask(this.onFull);
    return takesMore;
  }

  static {
    Object.defineProperty(FilteredIncomingMessage.prototype, 'upgrade', {
      configurable: true,
      get(this: IncomingMessage): boolean {
        return upgrading.has(this) && asksForWebSocket(this);
      },
      set(this: IncomingMessage, value: boolean | null) {
        if (value === true) upgrading.add(this);
      },
    });
  }
}

/**
 * Whether an upgrade was asked for and is not made. Node's parser has then dropped what came behind the request in the
 * same packet, so the connection cannot go on.
 */
export const isDroppedUpgrade = (message: IncomingMessage): boolean =>
  upgrading.has(message) && !asksForWebSocket(message);

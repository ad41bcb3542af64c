import { connect } from 'node:net';

/** What a client got. */
export interface ClientExchange {
  /** Each character is one octet. */
  readonly text: string;
  /** The other side has ended it. */
  readonly isClosed: boolean;
}

export interface ExchangePlan {
  /** What is sent, a part after the other, each in a write of its own. */
  readonly parts: readonly Uint8Array[];
  /** Whether all that can be expected has come. */
  isOver(text: string): boolean;
  /** Silence after which nothing more is expected. */
  readonly patienceMs: number;
}

/** Sends octets on a connection of their own, and gives what comes until it is over. */
export const clientExchange = (port: number, { parts, isOver, patienceMs }: ExchangePlan): Promise<ClientExchange> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const finish = (isClosed: boolean): void => {
      clearTimeout(deadline);
      socket.destroy();
      resolve({ text, isClosed });
    };
    const deadline = setTimeout(() => finish(false), patienceMs);
    socket.setEncoding('latin1');
    socket.on('connect', () => {
      let next = 0;
      const send = (): void => {
        const part = parts[next];
        next += 1;
        if (part !== undefined && socket.writable) socket.write(part, () => setImmediate(send));
      };
      send();
    });
    socket.on('data', (more: string) => {
      text += more;
      if (isOver(text)) finish(false);
      else deadline.refresh();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => finish(true));
  });

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
  /** How long the parts behind the first are held back, where no answer comes before; absent: not at all. */
  readonly holdMs?: number;
  /** Whether all that can be expected has come. */
  isOver(text: string): boolean;
  /** Silence after which nothing more is expected. */
  readonly patienceMs: number;
}

/** Sends octets on a connection of their own, and gives what comes until it is over. */
export const clientExchange = (
  port: number,
  { parts, holdMs, isOver, patienceMs }: ExchangePlan,
): Promise<ClientExchange> =>
  new Promise((resolve) => {
    let text = '';
    let next = 0;
    let hold: NodeJS.Timeout | null = null;
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const finish = (isClosed: boolean): void => {
      clearTimeout(deadline);
      if (hold !== null) clearTimeout(hold);
      socket.destroy();
      resolve({ text, isClosed });
    };
    const deadline = setTimeout(() => finish(false), patienceMs);
    const send = (): void => {
      const part = parts[next];
      next += 1;
      if (part === undefined || !socket.writable) return;
      if (next > 1 || holdMs === undefined) socket.write(part, () => setImmediate(send));
      else {
        socket.write(part);
        hold = setTimeout(goOn, holdMs);
      }
    };
    /** Sends what is held back. */
    const goOn = (): void => {
      if (hold === null) return;
      clearTimeout(hold);
      hold = null;
      send();
    };
    socket.setEncoding('latin1');
    socket.on('connect', send);
    socket.on('data', (more: string) => {
      text += more;
      if (isOver(text)) finish(false);
      else {
        deadline.refresh();
        goOn();
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => finish(true));
  });

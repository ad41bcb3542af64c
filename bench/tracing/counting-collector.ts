import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** What a span has once, in the JSON encoding of OTLP. */
const mark = Buffer.from('"endTimeUnixNano"');
/** Spans that may be on their way: fewer than would be lost. */
const mostUnderWay = 2_048;

const spansIn = (message: Buffer): number => {
  let count = 0;
  for (let at = message.indexOf(mark); at >= 0; at = message.indexOf(mark, at + mark.length)) count += 1;
  return count;
};

/** A collector that takes everything, and reads no more of it than how many spans there are. */
export class CountingCollector {
  /** Spans that were handed over. */
  sent = 0;
  #received = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        this.#received += spansIn(Buffer.concat(pieces));
        response.end('{}');
      });
    });
  }

  static async start(): Promise<CountingCollector> {
    const collector = new CountingCollector();
    await new Promise<void>((resolve) => collector.#server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`;
  }

  /** So many are on their way that more would be lost. */
  get isBehind(): boolean {
    return this.sent - this.#received > mostUnderWay;
  }

  /** Takes what is on its way. */
  async catchUp(): Promise<void> {
    while (this.isBehind) await turn();
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

import type {
  TargetClient,
  TargetClientFactory,
  TargetClientOptions,
} from '../../../src/application/ports/gateway/upstream-client.js';
import { tcpAddress } from './tcp-address.js';

/** A client that sends nothing, and knows how it was made and what became of it. */
export class FakeTargetClient implements TargetClient {
  activeConnections = 0;
  idleConnections = 0;
  waitingRequests = 0;
  isFull = false;
  /** How often those who wait were turned away. */
  evicted = 0;
  /** The grace of each call of `close`. */
  readonly closes: number[] = [];

  constructor(readonly settings: TargetClientOptions) {}

  send(): never {
    throw new Error('nothing is sent in this test');
  }

  mustConnect(): boolean {
    return false;
  }

  connect(): never {
    throw new Error('nothing is connected in this test');
  }

  evictQueued(): void {
    this.evicted += 1;
  }

  figures() {
    return {
      activeConnections: this.activeConnections,
      idleConnections: this.idleConnections,
      waitingRequests: this.waitingRequests,
    };
  }

  close(graceMs: number): Promise<void> {
    this.closes.push(graceMs);
    return Promise.resolve();
  }
}

/** Makes clients and remembers them by their address, the last one of each. */
export class FakeTargetClients {
  readonly made: FakeTargetClient[] = [];

  readonly create: TargetClientFactory = (settings) => {
    const client = new FakeTargetClient(settings);
    this.made.push(client);
    return client;
  };

  /** The last one for `host:port`. */
  at(host: string, port: number): FakeTargetClient | undefined {
    return this.made.findLast(({ settings }) => {
      const address = tcpAddress(settings.address);
      return address.host === host && address.port === port;
    });
  }
}

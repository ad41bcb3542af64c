import type {
  ConnectionFigures,
  TargetClient,
  TargetClientSettings,
  UpstreamExchange,
  UpstreamListener,
  UpstreamRequest,
} from '../../../../application/ports/upstream-client.js';
import { TargetConnections } from '../pool/target-connections.js';
import { Connection } from './connection.js';
import { UndiciExchange } from './undici-exchange.js';

/** The connections to one address, each an undici Client. */
export class UndiciTargetClient implements TargetClient {
  readonly #connections: TargetConnections<Connection>;

  constructor(settings: TargetClientSettings) {
    this.#connections = new TargetConnections(settings, (onLost) => new Connection(settings, onLost));
  }

  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange {
    const exchange = new UndiciExchange(request, listener, this.#connections);
    exchange.start();
    return exchange;
  }

  get isFull(): boolean {
    return this.#connections.isFull;
  }

  turnAway(): void {
    this.#connections.turnAway();
  }

  figures(): ConnectionFigures {
    return this.#connections.figures();
  }

  close(graceMs: number): Promise<void> {
    return this.#connections.close(graceMs);
  }
}

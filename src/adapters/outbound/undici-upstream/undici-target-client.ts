import type {
  ConnectionFigures,
  TargetClient,
  TargetClientSettings,
  UpstreamExchange,
  UpstreamRequest,
} from '../../../application/ports/upstream-client.js';
import { TargetConnections } from './target-connections.js';
import { UndiciExchange } from './undici-exchange.js';

/** The connections to one address, each an undici Client. */
export class UndiciTargetClient implements TargetClient {
  readonly #connections: TargetConnections;

  constructor(settings: TargetClientSettings) {
    this.#connections = new TargetConnections(settings);
  }

  send(request: UpstreamRequest): UpstreamExchange {
    const exchange = new UndiciExchange(request, this.#connections);
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

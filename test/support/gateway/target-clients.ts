import { targetClients } from '../../../src/adapters/outbound/upstream-clients/upstream-clients.js';
import type {
  ConnectAttempt,
  ConnectAttemptListener,
  TargetClient,
  TargetClientOptions,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamListener,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../src/application/ports/gateway/upstream-client.js';
import type { HeaderList } from '../../../src/domain/http/header-list.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';
import type { CleanUp } from '../shared/clean-up.js';
import { testSocketLayers } from './socket-layers.js';

export type UpstreamOutcome = Result<UpstreamResponse, UpstreamFailure>;

/** A request, and what its sender says where it might be sent once more; no, if it says nothing. */
export interface AskedRequest extends UpstreamRequest {
  readonly takeRetry?: () => boolean;
  /** Is told of interim responses. */
  readonly informed?: (status: number, headers: HeaderList) => void;
}

/** A request on its way, whose outcome can be awaited. */
export interface AwaitedExchange extends UpstreamExchange {
  readonly response: Promise<UpstreamOutcome>;
}

/** A real client that gives promises of what it tells. */
export class AwaitedClient implements Omit<TargetClient, 'send'> {
  readonly #client: TargetClient;

  constructor(client: TargetClient) {
    this.#client = client;
  }

  get isFull(): boolean {
    return this.#client.isFull;
  }

  /** The outcome is rejected where a listener is told twice, or before it may be. */
  send(request: AskedRequest): AwaitedExchange {
    const { promise, listener, begun } = awaited(request);
    const exchange = this.#client.send(request, listener);
    begun();
    return { response: promise, cancel: () => exchange.cancel() };
  }

  mustConnect(forUpgrade: boolean): boolean {
    return this.#client.mustConnect(forUpgrade);
  }

  connect(forUpgrade: boolean, listener: ConnectAttemptListener): ConnectAttempt {
    return this.#client.connect(forUpgrade, listener);
  }

  evictQueued(): void {
    this.#client.evictQueued();
  }

  figures() {
    return this.#client.figures();
  }

  close(graceMs: number): Promise<void> {
    return this.#client.close(graceMs);
  }
}

const awaited = ({ takeRetry, informed }: AskedRequest) => {
  let hasBegun = false;
  let told = 0;
  let resolve: (outcome: UpstreamOutcome) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<UpstreamOutcome>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  const tell = (outcome: UpstreamOutcome): void => {
    told += 1;
    if (!hasBegun) reject(new Error('told before the request was sent'));
    // Thrown where octets are read, it would end the test run.
    if (told > 1) queueMicrotask(() => Promise.reject(new Error('told twice')));
    resolve(outcome);
  };
  const listener: UpstreamListener = {
    informed: informed ?? (() => undefined),
    answered: (response) => tell(ok(response)),
    failed: (failure) => tell(err(failure)),
    takeRetry: takeRetry ?? (() => false),
  };
  const begun = (): void => {
    hasBegun = true;
  };
  return { promise, listener, begun };
};

/** A real client of a port of this machine. */
export const targetClient = (
  port: number,
  cleanUp: CleanUp,
  changes: Partial<TargetClientOptions> = {},
): AwaitedClient => {
  const client = listeningClient(port, cleanUp, changes);
  return new AwaitedClient(client);
};

/** The same as it is: its listeners are called. */
export const listeningClient = (
  port: number,
  cleanUp: CleanUp,
  changes: Partial<TargetClientOptions> = {},
): TargetClient => {
  const client = targetClients(testSocketLayers)({
    address: { host: '127.0.0.1', port },
    authority: `127.0.0.1:${port}`,
    replacesHost: false,
    tls: null,
    connectMs: 20_000,
    readMs: 20_000,
    maxConnections: 100,
    onExhausted: () => undefined,
    maxIdle: 20,
    idle: { isNone: false, take: () => true, giveBack: () => undefined },
    httpVersion: '1.1',
    ...changes,
  });
  cleanUp.add(() => client.close(0));
  return client;
};

/** A POST without a body. */
export const plainUpstreamRequest: UpstreamRequest = {
  method: 'POST',
  target: '/',
  headers: ['Host', 'a'],
  body: null,
  upgradeToWebSocket: false,
  timeoutMs: 20_000,
  readMs: null,
  received: null,
  configuredTimeoutMs: 20_000,
};

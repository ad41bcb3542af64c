import type {
  ConnectAttempt,
  ConnectAttemptListener,
  OpenedConnection,
  TargetClientOptions,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamListener,
  UpstreamRequest,
} from '../../../../application/ports/gateway/upstream-client.js';
import type { ConnectionSource, ConnectionUser, TargetConnections } from '../pool/target-connections.js';
import { CoreExchange } from './core-exchange.js';
import type { ConnectionListener, UpstreamConnection } from './upstream-connection.js';

/** The connections of one target that are being opened for requests, before the requests are sent. */
export class ConnectAttempts {
  readonly #connections: TargetConnections<UpstreamConnection>;
  readonly #settings: TargetClientOptions;
  /** Abandoned before they opened. */
  readonly #unclaimed = new Set<OpeningConnection>();
  #isClosed = false;

  constructor(connections: TargetConnections<UpstreamConnection>, settings: TargetClientOptions) {
    this.#connections = connections;
    this.#settings = settings;
  }

  connect(forUpgrade: boolean, listener: ConnectAttemptListener): ConnectAttempt {
    const attempt = new CoreConnectAttempt(listener);
    for (const opening of this.#unclaimed) {
      if (opening.forUpgrade !== forUpgrade) continue;
      this.#unclaimed.delete(opening);
      opening.claim(attempt);
      return attempt;
    }
    const connection = this.#connections.takeNew();
    if (connection === null) {
      const detail = 'the connections to the target are closed';
      queueMicrotask(() => listener.notConnected({ code: 'overloaded', wasEvicted: true, detail }));
      return attempt;
    }
    const opening = new OpeningConnection(connection, forUpgrade, this);
    opening.claim(attempt);
    connection.hold(opening);
    connection.open(forUpgrade);
    return attempt;
  }

  /** Closes the connections that no request waits for, now and later. */
  close(): void {
    this.#isClosed = true;
    for (const { connection } of this.#unclaimed) connection.destroy();
  }

  abandoned(opening: OpeningConnection): void {
    this.#unclaimed.add(opening);
    if (this.#isClosed) opening.connection.destroy();
  }

  opened(opening: OpeningConnection, attempts: readonly CoreConnectAttempt[]): void {
    const { connection, holder } = opening;
    const held = holder === null ? null : new HeldConnection(connection, this.#connections, this.#settings);
    if (this.#unclaimed.delete(opening)) this.#giveBack(connection);
    for (const attempt of attempts) attempt.listener.connected(attempt === holder ? held : null);
  }

  failed(opening: OpeningConnection, attempts: readonly CoreConnectAttempt[], failure: UpstreamFailure): void {
    this.#unclaimed.delete(opening);
    this.#giveBack(opening.connection);
    for (const { listener } of attempts) listener.notConnected(failure);
  }

  #giveBack(connection: UpstreamConnection): void {
    connection.release();
    this.#connections.giveBack(connection);
  }
}

class CoreConnectAttempt implements ConnectAttempt {
  beganMs = performance.now();
  opening: OpeningConnection | null = null;

  constructor(readonly listener: ConnectAttemptListener) {}

  abandon(): void {
    this.opening?.abandon(this);
  }
}

/** A connection being opened. One attempt holds it; those that abandoned it learn its outcome. */
class OpeningConnection implements ConnectionListener {
  /** Null: abandoned. */
  holder: CoreConnectAttempt | null = null;
  readonly #attempts = new Set<CoreConnectAttempt>();
  readonly #beganMs = performance.now();
  readonly #owner: ConnectAttempts;

  constructor(
    readonly connection: UpstreamConnection,
    readonly forUpgrade: boolean,
    owner: ConnectAttempts,
  ) {
    this.#owner = owner;
  }

  claim(attempt: CoreConnectAttempt): void {
    attempt.opening = this;
    attempt.beganMs = this.#beganMs;
    this.holder = attempt;
    this.#attempts.add(attempt);
  }

  abandon(attempt: CoreConnectAttempt): void {
    if (this.holder !== attempt) return;
    this.holder = null;
    this.#owner.abandoned(this);
  }

  connected(): void {
    this.#owner.opened(this, this.#end());
  }

  notConnected(failure: UpstreamFailure): void {
    this.#owner.failed(this, this.#end(), failure);
  }

  /** Unrequested input closes the connection. */
  received(): boolean {
    return false;
  }

  drained(): void {}

  lost(): void {}

  #end(): readonly CoreConnectAttempt[] {
    const attempts = [...this.#attempts];
    this.#attempts.clear();
    for (const attempt of attempts) attempt.opening = null;
    return attempts;
  }
}

/**
 * An open connection for one request. A request whose body is not there yet leaves it to the pool, because a slow
 * client must not occupy a connection.
 */
class HeldConnection implements OpenedConnection, ConnectionSource<UpstreamConnection> {
  readonly #connection: UpstreamConnection;
  readonly #pool: TargetConnections<UpstreamConnection>;
  readonly #settings: TargetClientOptions;
  #isHeld = true;

  constructor(
    connection: UpstreamConnection,
    pool: TargetConnections<UpstreamConnection>,
    settings: TargetClientOptions,
  ) {
    this.#connection = connection;
    this.#pool = pool;
    this.#settings = settings;
  }

  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange {
    const exchange = new CoreExchange(request, listener, this, this.#settings);
    exchange.start();
    this.release();
    return exchange;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#connection.release();
    this.#pool.giveBack(this.#connection);
  }

  get turnAways(): number {
    return this.#pool.turnAways;
  }

  request(user: ConnectionUser<UpstreamConnection>): boolean {
    if (!this.#isHeld) return this.#pool.request(user);
    this.#isHeld = false;
    user.use(this.#connection);
    return true;
  }

  forget(user: ConnectionUser<UpstreamConnection>): void {
    this.#pool.forget(user);
  }

  giveBack(connection: UpstreamConnection): void {
    this.#pool.giveBack(connection);
  }
}

import type {
  BoundListener,
  HttpEngine,
  ListenerOptions,
  RequestHandler,
  TlsContext,
  TlsMaterial,
} from '../../../src/application/ports/gateway/http-engine.js';
import type { SocketAddress } from '../../../src/domain/configuration/network-addresses.js';
import type { ListenerTimeouts } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { CidrSet } from '../../../src/domain/http/cidr-set.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';

/** A context that knows what it was made of. */
export interface FakeTlsContext extends TlsContext {
  readonly material: TlsMaterial;
}

/** A listener that opens no socket and keeps what it is told. */
export class FakeOpenListener implements BoundListener {
  listening = false;
  drained = false;
  /** Every way in which its connections were to be secured, the first included. */
  readonly secured: (TlsContext | null)[];
  /** Every patience that it was told to have, the first included. */
  readonly patience: ListenerTimeouts[];
  /** Who had to send PROXY headers at each time, the first included. */
  readonly headersFrom: (CidrSet | null)[];
  /** That of the last change of TLS. */
  graceMs: number | null = null;

  constructor(
    readonly key: string,
    readonly socketAddress: SocketAddress,
    readonly handler: RequestHandler,
    { tls, timeouts, proxyHeaderFrom }: ListenerOptions,
  ) {
    this.secured = [tls];
    this.patience = [timeouts];
    this.headersFrom = [proxyHeaderFrom];
  }

  address(): SocketAddress {
    return this.socketAddress;
  }

  /** Port 2 can be bound, and somebody else listens there. */
  async listen(): Promise<void> {
    if (this.socketAddress.port === 2) throw new Error('somebody listens there');
    this.listening = true;
  }

  connections(): number {
    return 0;
  }

  waitFor(timeouts: ListenerTimeouts): void {
    this.patience.push(timeouts);
  }

  acceptHttp2(_isAccepted: boolean): void {}

  secure(tls: TlsContext | null, graceMs: number): void {
    this.graceMs = graceMs;
    this.secured.push(tls);
  }

  expectProxyHeaders(from: CidrSet | null): void {
    this.headersFrom.push(from);
  }

  async drain(): Promise<void> {
    this.drained = true;
  }
}

/**
 * An engine without sockets. A text that begins with `bad` cannot be made ready, one that begins with `old` gives a
 * warning; an address with port 1 is taken.
 */
export class FakeHttpEngine implements HttpEngine {
  readonly listeners: FakeOpenListener[] = [];
  readonly asked: TlsMaterial[] = [];

  useTicketKeys(): void {}

  prepareTls(material: TlsMaterial): Result<FakeTlsContext, string> {
    this.asked.push(material);
    const warnings: string[] = [];
    for (const { chain, privateKey } of material.certificates) {
      if (chain.startsWith('bad') || privateKey.reveal().startsWith('bad')) return err('they do not fit');
      if (chain.startsWith('old')) warnings.push('it has expired');
    }
    if (material.clientAuthorities?.startsWith('bad')) return err('they are no authorities');
    return ok({ isTlsContext: true, warnings, certificates: [], material });
  }

  async bind(
    key: string,
    address: SocketAddress,
    handler: RequestHandler,
    options: ListenerOptions,
  ): Promise<BoundListener> {
    if (address.port === 1) throw new Error('the address is taken');
    const listener = new FakeOpenListener(key, address, handler, options);
    this.listeners.push(listener);
    return listener;
  }
}

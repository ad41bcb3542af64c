import type { ClientResponse, Tunnel } from '../../../src/application/ports/gateway/http-exchange.js';
import { firstHeader, type HeaderList } from '../../../src/domain/http/header-list.js';

/** The response of a client that takes everything at once. */
export class RecordedResponse implements ClientResponse {
  status = 0;
  headers: HeaderList = [];
  readonly interims: [number, HeaderList][] = [];
  trailers: HeaderList = [];
  text = '';
  /** `open` until the response has ended, or was cut. */
  state: 'open' | 'ended' | 'cut' = 'open';
  /** What an upgrade gives. */
  tunnel: Tunnel | null = null;

  get headSent(): boolean {
    return this.status !== 0;
  }

  field(lowerName: string): string | undefined {
    return firstHeader(this.headers, lowerName);
  }

  /** The code of the problem that was sent. */
  get problem(): string {
    return (JSON.parse(this.text) as { code: string }).code;
  }

  inform(status: number, headers: HeaderList): void {
    this.interims.push([status, headers]);
  }

  begin(status: number, headers: HeaderList): void {
    this.status = status;
    this.headers = headers;
  }

  writeText(text: string): undefined {
    this.text += Buffer.from(text, 'latin1').toString();
  }

  write(chunk: Uint8Array): undefined {
    this.text += Buffer.from(chunk).toString();
  }

  end(trailers: HeaderList): void {
    this.trailers = trailers;
    this.state = 'ended';
  }

  send(status: number, headers: HeaderList, body: string | null): void {
    this.begin(status, headers);
    this.text = body ?? '';
    this.state = 'ended';
  }

  abort(): void {
    this.state = 'cut';
  }

  upgrade(headers: HeaderList): Tunnel {
    if (this.tunnel === null) throw new Error('no tunnel');
    this.begin(101, headers);
    return this.tunnel;
  }

  onClosed(_listener: (completed: boolean) => void): void {}

  bytesSent(): number {
    return this.text.length;
  }
}

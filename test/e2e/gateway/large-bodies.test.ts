import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { describe, expect } from 'vitest';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { forgetPeak, peakResidentBytes, residentBytes } from '../../support/shared/process-memory.js';

const megabyte = 1024 * 1024;
/** Many times what may be held of it. */
const bodyBytes = 384 * megabyte;
const allowedGrowthBytes = 64 * megabyte;
const piece = Buffer.alloc(256 * 1024, 'a body that is made while it is sent ');

/** Where octets can be written, as a request and a response are. */
interface Sink {
  readonly destroyed: boolean;
  write(octets: Buffer): boolean;
  end(): void;
  once(event: 'drain' | 'close', listener: () => void): unknown;
}

/** Writes a body as fast as it is taken; `sent` is how much of it so far. */
class MadeBody {
  sent = 0;

  constructor(readonly bytes: number) {}

  async writeTo(sink: Sink): Promise<void> {
    const closed = new Promise<void>((resolve) => void sink.once('close', resolve));
    while (this.sent < this.bytes && !sink.destroyed) {
      this.sent += piece.length;
      if (!sink.write(piece)) {
        await Promise.race([closed, new Promise<void>((resolve) => void sink.once('drain', resolve))]);
      }
    }
    sink.end();
  }

  /** Resolves once nothing more is taken, so that everything on the way is full, with how much that was. */
  async stuck(): Promise<number> {
    let before = -1;
    while (this.sent === 0 || before !== this.sent) {
      before = this.sent;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    return this.sent;
  }
}

const count = async (stream: IncomingMessage): Promise<number> => {
  let bytes = 0;
  for await (const chunk of stream) bytes += (chunk as Buffer).length;
  return bytes;
};

const responseTo = (sent: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });

describe('a body of 384 MB', () => {
  let stack: GatewayStack;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    stack = await startStack(cleanUp, {
      transport: 'embedded',
      agentConfig: 'api-keys "key:alice"',
      blocks: 'limits { max-body-size-bytes "1GB" }',
    });
  });

  const open = (cleanUp: CleanUp, method: string, headers: Readonly<Record<string, string>> = {}): ClientRequest => {
    const { port } = stack;
    const sent = request({
      host: '127.0.0.1',
      port,
      agent: false,
      method,
      headers: { 'X-API-Key': 'key', ...headers },
    });
    cleanUp.add(() => sent.destroy());
    return sent;
  };

  /** The gateway's extra memory at its peak, from a first large body on to the end of the other. */
  const growthDuring = async (pass: (bytes: number) => Promise<void>): Promise<number> => {
    await pass(32 * megabyte);
    const { pid } = stack.gateway;
    forgetPeak(pid);
    const before = residentBytes(pid);
    await pass(bodyBytes);
    return peakResidentBytes(pid) - before;
  };

  it.for([
    ['with its length', true],
    ['in chunks', false],
  ] as const)(
    'uploads within 64 MB of extra memory, even while the upstream reads nothing (%s)',
    async ([_name, hasLength], { cleanUp }) => {
      const growth = await growthDuring(async (bytes) => {
        const body = new MadeBody(bytes);
        stack.upstream.answer = (received, response) => {
          void body
            .stuck()
            .then((held) => expect(held).toBeLessThan(allowedGrowthBytes))
            .then(() => count(received))
            .then((octets) => response.end(String(octets)))
            .catch((error: unknown) => response.destroy(error as Error));
        };
        const sent = open(
          cleanUp,
          'POST',
          hasLength ? { 'Content-Length': String(bytes) } : { 'Transfer-Encoding': 'chunked' },
        );
        const answered = responseTo(sent);
        await body.writeTo(sent);
        let text = '';
        for await (const chunk of await answered) text += String(chunk);
        expect(text).toBe(String(bytes));
      });
      expect(growth).toBeLessThan(allowedGrowthBytes);
    },
  );

  it('downloads within 64 MB of extra memory, even while the client reads nothing', async ({ cleanUp }) => {
    const growth = await growthDuring(async (bytes) => {
      const body = new MadeBody(bytes);
      stack.upstream.answer = (received, response) => {
        received.resume();
        void body.writeTo(response);
      };
      const sent = open(cleanUp, 'GET');
      const answered = responseTo(sent);
      sent.end();
      const response = await answered;
      expect(await body.stuck()).toBeLessThan(allowedGrowthBytes);
      expect(await count(response)).toBe(bytes);
    });
    expect(growth).toBeLessThan(allowedGrowthBytes);
  });
});

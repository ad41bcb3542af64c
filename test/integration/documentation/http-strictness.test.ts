import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpEngineNames } from '../../../src/domain/configuration/gateway-configuration.js';
import { CleanUp } from '../../support/clean-up.js';
import { documentationPage } from '../../support/documentation-examples.js';
import { startHttpUpstream } from '../../support/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/in-process-gateway.js';

const cleanUp = new CleanUp();
afterAll(() => cleanUp.run());

interface Row {
  readonly what: string;
  /** Octets of an upstream, else those of a client. */
  readonly isResponse: boolean;
  readonly octets: Buffer;
  readonly status: Readonly<Record<'core' | 'node', string>>;
}

const marks: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '0': '\0' };

/** `\r`, `\n`, `\t`, `\0` and `\x41` stand for what they do in programs. */
const unescaped = (text: string): Buffer =>
  Buffer.from(
    text.replace(/\\(?:x([0-9a-f]{2})|([rnt0]))/g, (_all, hex: string | undefined, mark: string | undefined) =>
      hex === undefined ? (marks[mark ?? ''] ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  );

const { text } = documentationPage('docs/reference/http-strictness.md');

const rowsOf = (part: string, isResponse: boolean): readonly Row[] =>
  part.split('\n').flatMap((line): readonly Row[] => {
    const [, what = '', octets = '', core = '', node = ''] =
      /^\| (.+) \| `([^`]+\\r\\n\\r\\n[^`]*|[^`]+\\n\\n)` \| (\d{3}) \| (\d{3}) \|$/.exec(line) ?? [];
    return what === '' ? [] : [{ what, isResponse, octets: unescaped(octets), status: { core, node } }];
  });

const [requestPart = '', responsePart = ''] = text.split('\n## Responses\n');
const requests = rowsOf(requestPart, false);
const responses = rowsOf(responsePart, true);

/** An upstream that answers any request with some octets, and ends the connection. */
const startRawUpstream = async (answer: () => Buffer): Promise<Server> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

/** The status of the only answer to the octets. */
const statusOf = ({ address }: InProcessGateway, octets: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(address.port, address.host);
    let answer = '';
    socket.on('error', reject);
    socket.on('data', (piece) => {
      answer += piece.toString('latin1');
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
      if (status === undefined || !answer.includes('\r\n\r\n')) return;
      socket.destroy();
      resolve(status);
    });
    socket.on('close', () => reject(new Error(`closed after ${JSON.stringify(answer)}`)));
    socket.write(octets);
  });

it('the page about what is refused has rows', () => {
  expect(requests.length).toBeGreaterThan(55);
  expect(responses.length).toBeGreaterThan(15);
});

describe.each(httpEngineNames)('the page about what is refused, of the %s engine', (httpEngine) => {
  let gateway: InProcessGateway;
  let answer: Buffer = Buffer.alloc(0);
  beforeAll(async () => {
    const upstream = await startHttpUpstream((request, response) => {
      // Only what is whole is answered: a fault in a body is the gateway's to find.
      request.resume().on('end', () => response.end('ok'));
    });
    cleanUp.add(() => upstream.close());
    const raw = await startRawUpstream(() => answer);
    cleanUp.add(() => void raw.close());
    const { port } = raw.address() as AddressInfo;
    const configuration = testConfiguration(
      [testUpstream(upstream.port), testUpstream(port, { name: 'raw', targetBreaker: null })],
      {
        routes: [
          testRoute({
            id: 'raw',
            priority: 60,
            upstream: 'raw',
            matches: { ...testRoute().matches, pathPrefixes: ['/raw'] },
          }),
          testRoute(),
        ],
      },
    );
    gateway = await startInProcess({ ...configuration, system: { ...configuration.system, httpEngine } });
    cleanUp.add(() => gateway.stop());
  });

  it.each(requests)('is right about $what', async ({ octets, status }) => {
    expect(await statusOf(gateway, octets)).toBe(status[httpEngine]);
  });

  it.each(responses)('is right about a response with $what', async ({ octets, status }) => {
    answer = octets;
    expect(await statusOf(gateway, Buffer.from('GET /raw HTTP/1.1\r\nHost: a\r\n\r\n'))).toBe(status[httpEngine]);
  });
});

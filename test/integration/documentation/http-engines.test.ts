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
import { startRawUpstream, statusesOf, unescapedOctets } from '../../support/raw-http.js';

const cleanUp = new CleanUp();
afterAll(() => cleanUp.run());

interface Row {
  readonly what: string;
  readonly octets: Buffer;
  readonly statuses: Readonly<Record<'core' | 'node', readonly string[]>>;
}

const columns = /^\| (.+) \| `([^`]+)` \| ([\d, ]+) \| ([\d, ]+) \|$/;

/** `{y*9}` stands for nine times that character. */
const repeated = (text: string): string =>
  text.replace(/\{(.)\*(\d+)\}/g, (_all, character: string, count: string) => character.repeat(Number(count)));

/** Every row of a table with octets. Throws where one has another form: it would go untested. */
const rowsOf = (part: string): readonly Row[] =>
  part.split('\n').flatMap((line): readonly Row[] => {
    if (!line.startsWith('|') || !/\\[rn]/.test(line)) return [];
    const [, what, octets, node, core] = columns.exec(line) ?? [];
    if (what === undefined || octets === undefined || node === undefined || core === undefined)
      throw new Error(`a row that cannot be run: ${line}`);
    const statuses = { node: node.split(', '), core: core.split(', ') };
    return [{ what, octets: unescapedOctets(repeated(octets)), statuses }];
  });

const { text } = documentationPage('docs/guides/http-engines.md');
const [, limits = ''] = text.split('\n## Limits of the node engine\n');
const [requestPart = '', responsePart = ''] = limits.split('\nOf responses of an upstream:\n');
const requests = rowsOf(requestPart);
const responses = rowsOf(responsePart);

it('the limits of the node engine have rows, in each of which the engines differ', () => {
  expect(requests.length).toBeGreaterThan(15);
  expect(responses.length).toBeGreaterThan(5);
  for (const { what, statuses } of [...requests, ...responses]) expect(statuses.node, what).not.toEqual(statuses.core);
});

describe.each(httpEngineNames)('the limits of the node engine, seen with the %s engine', (httpEngine) => {
  let gateway: InProcessGateway;
  let answer: Buffer = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  beforeAll(async () => {
    const upstream = await startHttpUpstream((request, response) => {
      request.resume().on('end', () => response.end('ok'));
    });
    cleanUp.add(() => upstream.close());
    const port = await startRawUpstream(cleanUp, () => answer);
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
    // What is waited for is not waited for long.
    const listeners = configuration.listeners.map((listener) => ({
      ...listener,
      timeouts: { ...listener.timeouts, headMs: 200, bodyMs: 200, idleMs: 200 },
    }));
    const system = { ...configuration.system, httpEngine };
    gateway = await startInProcess({ ...configuration, listeners, system }, { engineLimits: { lingerMs: 50 } });
    cleanUp.add(() => gateway.stop());
  });

  /** Of all answers that come, where there may be one more than the page has. */
  const statuses = (octets: Buffer, expected: readonly string[]) => statusesOf(gateway, octets, expected.length + 1);

  it.each(requests)('$what', async ({ octets, statuses: expected }) => {
    expect(await statuses(octets, expected[httpEngine])).toEqual(expected[httpEngine]);
  });

  it.each(responses)('a response: $what', async ({ octets, statuses: expected }) => {
    answer = octets;
    const request = Buffer.from('GET /raw HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(await statuses(request, expected[httpEngine])).toEqual(expected[httpEngine]);
  });
});

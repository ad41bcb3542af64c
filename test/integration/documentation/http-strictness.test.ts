import { describe, expect } from 'vitest';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { startRawUpstream, statusesOf, unescapedOctets } from '../../support/gateway/raw-http.js';
import { documentationPage } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';

interface Row {
  readonly what: string;
  /** Octets of an upstream, else those of a client. */
  readonly isResponse: boolean;
  readonly octets: Buffer;
  /** One for each answer. */
  readonly statuses: readonly string[];
}

const { text } = documentationPage('docs/reference/http-strictness.md');

const columns = /^\| (.+) \| `([^`]+)` \| (\d{3}(?:, \d{3})*) \|$/;

/** Every row with octets. Throws where one has another form: it would go untested. */
const rowsOf = (part: string, isResponse: boolean): readonly Row[] =>
  part.split('\n').flatMap((line): readonly Row[] => {
    if (!line.startsWith('|') || !/\\[rn]/.test(line)) return [];
    const [, what, octets, statuses] = columns.exec(line) ?? [];
    if (what === undefined || octets === undefined || statuses === undefined)
      throw new Error(`a row that cannot be run: ${line}`);
    return [{ what, isResponse, octets: unescapedOctets(octets), statuses: statuses.split(', ') }];
  });

const [requestPart = '', responsePart = ''] = text.split('\n## Responses\n');
const requests = rowsOf(requestPart, false);
const responses = rowsOf(responsePart, true);

it('the page about refused requests has rows', () => {
  expect(requests.length).toBeGreaterThan(70);
  expect(responses.length).toBeGreaterThan(20);
});

describe('the page about refused requests', () => {
  let gateway: InProcessGateway;
  let answer: Buffer = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    const upstream = await startHttpUpstream((request, response) => {
      // Only what is whole is answered: a fault in a body is the gateway's to find.
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
    gateway = await startInProcess(configuration);
    cleanUp.add(() => gateway.stop());
  });

  it.each(requests)('is correct about $what', async ({ octets, statuses }) => {
    expect(await statusesOf(gateway, octets, statuses.length)).toEqual(statuses);
  });

  it.each(responses)('is correct about a response with $what', async ({ octets, statuses }) => {
    answer = octets;
    const request = Buffer.from('GET /raw HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await statusesOf(gateway, request, 1)).toEqual(statuses);
  });
});

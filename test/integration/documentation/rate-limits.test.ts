import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import { documentationPage, fencedBlocks, mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import type { HttpAnswer } from '../../support/shared/http-call.js';

const page = 'docs/guides/rate-limits.md';
let running: DocumentedGateway;
let upstreamPort: number;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const upstream = new RecordingUpstream((_request, response) => response.end('ok'));
  upstreamPort = await upstream.listen();
  cleanUp.add(() => upstream.close());
  running = await startDocumented(cleanUp, mainExample(page), { ports: { 3001: upstreamPort } });
});

describe('the guide to rate limits', () => {
  it('shows the answer to the sixth request with its fields', async () => {
    const answers: HttpAnswer[] = [];
    for (let count = 0; count < 6; count += 1) answers.push(await running.ask(8080, { path: '/login' }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    const refused = answers[5]?.headers ?? {};
    expect(refused['retry-after']).toBe('1');
    expect(refused['ratelimit-policy']).toContain('"route-policy";q=5;w=3');
    expect(refused['ratelimit']).toContain('"route-policy";r=0;t=');
    expect(answers[0]?.headers['ratelimit']).toContain('"route-policy";r=4;');
    const line = running.logger.lines.find(({ fields }) => fields?.['error_type'] === 'rate_limited');
    expect(line).toMatchObject({
      level: 'warn',
      fields: { limit_name: 'rate-limit', limit: 2, client_ip: '127.0.0.1', trace_id: expect.any(String) },
    });
  });

  it('gives every tenant its own bucket', async () => {
    const left = async (tenant: string): Promise<string> => {
      const { headers } = await running.ask(8080, { path: '/orders', headers: { 'X-Tenant': tenant } });
      return String(headers['ratelimit']);
    };
    expect(await left('one')).toContain('"route-policy";r=999;');
    expect(await left('one')).toContain('"route-policy";r=99');
    expect(await left('two')).toContain('"route-policy";r=999;');
  });
});

describe('the guide to rate limits, on users', () => {
  it('shows a limit that two routes share for each user', async ({ cleanUp }) => {
    const example = fencedBlocks(documentationPage(page)).find(({ text }) => text.includes('rate-limit "customers" {'));
    const users = await startDocumented(cleanUp, example?.text ?? '', { ports: { 3001: upstreamPort } });
    const statusOf = async (path: string, key: string): Promise<number> =>
      (await users.ask(8080, { path, headers: { 'X-API-Key': key } })).status;
    const statuses: number[] = [];
    for (const path of ['/orders', '/invoices', '/orders', '/invoices']) statuses.push(await statusOf(path, 'key-1'));
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect(await statusOf('/orders', 'key-2')).toBe(200);
    expect(await statusOf('/orders', 'wrong')).toBe(401);
  });
});

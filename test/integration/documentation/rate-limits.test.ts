import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import { mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import type { HttpAnswer } from '../../support/shared/http-call.js';

let running: DocumentedGateway;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const upstream = new RecordingUpstream((_request, response) => response.end('ok'));
  const port = await upstream.listen();
  cleanUp.add(() => upstream.close());
  running = await startDocumented(cleanUp, mainExample('docs/guides/rate-limits.md'), { ports: { 3001: port } });
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

import { describe, expect } from 'vitest';
import { AllowedOrigins } from '../../../src/domain/http/allowed-origins.js';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import { documentationPage, fencedBlocks, mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';

const name = 'docs/guides/cors.md';
const guide = documentationPage(name);

/** A curl command of the guide, and the head that it shows. */
const shown = fencedBlocks(guide)
  .filter(({ info }) => info === 'console')
  .map(({ text }) => {
    const [, command = '', head = ''] = /^\$ (curl (?:[^\n]*\\\n)*[^\n]*)\n(.*)$/s.exec(text) ?? [];
    const [status = '', ...fields] = head.trim().split('\n');
    return {
      method: /-X (\S+)/.exec(command)?.[1] ?? 'GET',
      path: /8080(\/\S*)/.exec(command)?.[1] ?? '/',
      headers: Object.fromEntries(
        [...command.matchAll(/-H '(\S+): ([^']*)'/g)].map(([, field, value]) => [field, value]),
      ),
      status: Number(status.split(' ')[1]),
      fields: fields.map((line) => line.split(': ') as [string, string]),
    };
  });

/** The rows of the table about origins: the configured one, those that match, those that do not. */
const origins = [...guide.text.matchAll(/^\| `"([^"]+)"` \|([^|]*)\|([^|]*)\|$/gm)].map(
  ([, listed, matching, other]) => {
    const inBackQuotes = (text = ''): readonly string[] =>
      [...text.matchAll(/`([^`]+)`/g)].map(([, origin = '']) => origin);
    return { listed: listed ?? '', matching: inBackQuotes(matching), other: inBackQuotes(other) };
  },
);

let running: DocumentedGateway;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const upstream = new RecordingUpstream();
  cleanUp.add(() => upstream.close());
  const ports = { 3001: await upstream.listen() };
  running = await startDocumented(cleanUp, mainExample(name), { ports, environment: { API_KEYS: 'the-key:alice' } });
});

describe('the guide to CORS', () => {
  it('shows responses as they are', async () => {
    expect(shown.map(({ status }) => status)).toEqual([401, 204]);
    for (const { method, path, headers, status, fields } of shown) {
      const answer = await running.ask(8080, { method, path, headers });
      expect(answer.status).toBe(status);
      for (const [field, value] of fields) {
        const actual = answer.headers[field.toLowerCase()];
        if (field === 'X-Correlation-Id') expect(actual).toMatch(/^[0-9a-f-]{36}$/);
        else expect([field, actual]).toEqual([field, value]);
      }
      const cors = Object.keys(answer.headers).filter((field) => field.startsWith('access-control-'));
      expect(fields.map(([field]) => field.toLowerCase())).toEqual(expect.arrayContaining(cors));
    }
  });

  it('lets the announced request through', async () => {
    const headers = { Origin: 'https://a.example.org', 'X-API-Key': 'the-key' };
    const answer = await running.ask(8080, { method: 'PUT', path: '/api/orders/7', headers });
    expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': 'https://a.example.org' } });
  });

  it('says which origins match', () => {
    expect(origins.length).toBeGreaterThan(4);
    for (const { listed, matching, other } of origins) {
      const lookup = new AllowedOrigins([listed]);
      for (const origin of matching.filter((text) => text.includes('://') && /^[\u0000-\u007f]*$/.test(text))) {
        expect(lookup.answerTo(origin), origin).toBe(origin);
      }
      for (const origin of other) expect(lookup.answerTo(origin), `${listed} and ${origin}`).toBeNull();
    }
  });
});

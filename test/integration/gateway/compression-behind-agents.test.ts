import { describe, expect } from 'vitest';
import { allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import { plainCompression } from '../../support/gateway/compressing-gateway.js';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { testRoute } from '../../support/gateway/in-process-gateway.js';
import { plainPolicies } from '../../support/gateway/plain-configurations.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import {
  decide,
  type GatewayWithAgents,
  mutatedResponse,
  startGatewayWithAgents,
} from '../../support/shared/gateway-with-agents.js';

const text = JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, name: `user ${id * 7919}` })));
const accepting = (coding: string) => ({ headers: { 'Accept-Encoding': coding } });

const start = async (cleanUp: CleanUp): Promise<GatewayWithAgents> => {
  const upstream = await startHttpUpstream((_, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(text);
  });
  cleanUp.add(() => upstream.close());
  return startGatewayWithAgents(cleanUp, upstream.port, [{ name: 'judge' }], {
    routes: [testRoute({ agents: ['judge'], policies: { ...plainPolicies, compression: plainCompression } })],
  });
};

describe('an agent on a compressing route', () => {
  it('judges the body before it is compressed, and may change it', async ({ cleanUp }) => {
    const gateway = await start(cleanUp);
    const seen: string[] = [];
    gateway.service().answer = mutatedResponse((piece) => {
      seen.push(piece);
      return piece.replaceAll('user', 'person');
    });
    const response = await fetch(gateway.url, accepting('gzip'));
    expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
      'gzip',
      'Accept-Encoding',
    ]);
    expect(await response.text()).toBe(text.replaceAll('user', 'person'));
    expect(seen.join('')).toBe(text);
  });

  it('that blocks the response answers without a coding', async ({ cleanUp }) => {
    const gateway = await start(cleanUp);
    const blocked = decide({
      kind: 'block',
      status: 403,
      body: 'x'.repeat(3_000),
      headers: ['Content-Type', 'text/plain'],
    });
    gateway.service().answer = (event) => (event.kind === 'response_headers' ? blocked : allowAnswer);
    const response = await fetch(gateway.url, accepting('gzip'));
    expect([response.status, response.headers.get('content-encoding')]).toEqual([403, null]);
    expect(await response.text()).toBe('x'.repeat(3_000));
  });
});

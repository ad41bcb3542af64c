import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeHealthProber } from '../../../../../src/adapters/outbound/health-probes/node-health-prober.js';
import type { HealthProbe } from '../../../../../src/domain/gateway/configuration/upstream-options.js';
import { err } from '../../../../../src/domain/shared/result.js';
import { type StuckListener, startStuckListener } from '../../../../support/gateway/stuck-listener.js';

const probes: readonly HealthProbe[] = [
  { kind: 'tcp' },
  { kind: 'http', path: '/', expectedStatuses: [200], host: null },
  { kind: 'grpc', service: '' },
];

describe('a health check of a target that accepts no connection', () => {
  let listener: StuckListener;

  beforeAll(async () => {
    listener = await startStuckListener();
  });
  afterAll(() => listener.close());

  it.each(probes)('times out, by $kind', async (probe) => {
    const target = { address: { host: '127.0.0.1', port: listener.port }, authority: 'api.test:80', tls: null };
    expect(await new NodeHealthProber().probe(target, probe, 100)).toEqual(err('no connection within 0.1 s'));
  });
});

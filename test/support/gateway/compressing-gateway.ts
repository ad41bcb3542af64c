import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type {
  ListenerTimeouts,
  RoutePolicies,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { CompressionRules } from '../../../src/domain/gateway/route-transforms/compression-rules.js';
import type { CleanUp } from '../shared/clean-up.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from './in-process-gateway.js';
import { plainPolicies } from './plain-configurations.js';

export const plainCompression: CompressionRules = {
  types: ['text/*', 'application/json'],
  minOctets: 1_024,
  encodings: ['br', 'gzip'],
};

/** A gateway whose only route compresses, for clients of HTTP/1.1 and HTTP/2. */
export const startCompressing = async (
  cleanUp: CleanUp,
  upstreamPort: number,
  compression: Partial<CompressionRules> = {},
  policies: Partial<RoutePolicies> = {},
  timeouts: Partial<ListenerTimeouts> = {},
): Promise<InProcessGateway> => {
  const plain = testConfiguration([testUpstream(upstreamPort)]);
  const gateway = await startInProcess({
    ...plain,
    listeners: plain.listeners.map((listener) => ({
      ...listener,
      http2: true,
      timeouts: { ...listener.timeouts, ...timeouts },
    })),
    routes: [
      testRoute({ policies: { ...plainPolicies, ...policies, compression: { ...plainCompression, ...compression } } }),
    ],
  });
  cleanUp.add(() => gateway.stop());
  return gateway;
};

/** A body without its coding. */
export const decodedBody = (body: Uint8Array, coding: string | null | undefined): Buffer => {
  switch (coding) {
    case 'gzip':
      return gunzipSync(body);
    case 'br':
      return brotliDecompressSync(body);
    default:
      return Buffer.from(body);
  }
};

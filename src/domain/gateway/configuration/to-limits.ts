import type { Fields } from '../../configuration/schema/schema.js';
import type { RateLimit } from '../../shared/token-bucket.js';
import type { LimitsConfiguration } from './gateway-configuration.js';
import type { limitsShape } from './limits-schema.js';
import { rateLimitOf } from './rate-limit-schema.js';
import { toRateStore } from './rate-store-rules.js';

const limitOf = (requestsPerSecond: number | null): RateLimit | null =>
  requestsPerSecond === null ? null : rateLimitOf(requestsPerSecond);

/** Converts a block `limits` that has no errors. */
export const toLimits = (fields: Fields<typeof limitsShape>): LimitsConfiguration => ({
  maxHeaderSizeBytes: fields['max-header-size-bytes'].value,
  maxHeaderCount: fields['max-header-count'].value,
  maxHeaderNameBytes: fields['max-header-name-bytes'].value,
  maxHeaderValueBytes: fields['max-header-value-bytes'].value,
  maxBodySizeBytes: fields['max-body-size-bytes'].value,
  maxBodyInspectionBytes: fields['max-body-inspection-bytes'].value,
  maxAgentQueueDepth: fields['max-agent-queue-depth'].value,
  maxAgentBodyBytes: fields['max-agent-body-bytes'].value,
  maxAgentResponseBytes: fields['max-agent-response-bytes'].value,
  maxDecompressionRatio: fields['max-decompression-ratio'].value,
  maxDecompressedSizeBytes: fields['max-decompressed-size-bytes'].value,
  maxBodyBufferBytes: fields['max-body-buffer-bytes'].value,
  maxConnectionsPerClient: fields['max-connections-per-client'].value,
  maxConnectionsPerRoute: fields['max-connections-per-route'].value,
  maxTotalConnections: fields['max-total-connections'].value,
  maxIdleConnectionsPerUpstream: fields['max-idle-connections-per-upstream'].value,
  maxInFlightRequests: fields['max-in-flight-requests'].value,
  maxInFlightRequestsPerWorker: fields['max-in-flight-requests-per-worker'].value,
  maxQueuedRequests: fields['max-queued-requests'].value,
  rates: {
    global: limitOf(fields['max-requests-per-second-global'].value),
    perClient: limitOf(fields['max-requests-per-second-per-client'].value),
    perRoute: limitOf(fields['max-requests-per-second-per-route'].value),
  },
  rateLimitStore: toRateStore(fields),
  maxMemoryBytes: fields['max-memory-bytes'].value,
  maxMemoryPercent: fields['max-memory-percent'].value,
});

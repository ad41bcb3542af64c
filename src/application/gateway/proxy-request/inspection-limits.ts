import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { LimitsConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { DecompressionRules } from '../../../domain/gateway/limits/decompression-rules.js';

/** The limits for bodies that agents inspect. */
export interface InspectionLimits {
  /** The largest body that agents inspect. A body with a larger declared length is not sent to them at all. */
  readonly size: InspectionSize;
  readonly decompression: DecompressionRules;
}

export interface InspectionSize {
  /** Octets, both as received and as decoded for the agent. */
  readonly octets: number;
  /** The source of the limit: a configuration key, or a capability of an agent. */
  readonly name: string;
}

/** How a body is divided into chunks for an agent. */
export interface InspectionCut {
  readonly size: InspectionSize;
  /** The largest chunk, in octets. */
  readonly chunkOctets: number;
  /** The agent accepts a body only in one chunk. */
  readonly isWhole: boolean;
}

/** The chunk size for agents that prefer no usable size; octets. */
const usualChunkOctets = 65_536;

/** The smallest chunk size, even if the agent prefers a smaller one: each chunk is a call. */
const minChunkOctets = 1_024;

/** The largest chunk: in base64 and JSON it fits into a frame of every transport (10 MiB or more). */
const maxChunkOctets = 7_340_032;

export const inspectionLimits = (limits: LimitsConfiguration): InspectionLimits => {
  const { maxBodyInspectionBytes, maxAgentBodyBytes, maxDecompressedSizeBytes, maxDecompressionRatio } = limits;
  return {
    size:
      maxAgentBodyBytes < maxBodyInspectionBytes
        ? { octets: maxAgentBodyBytes, name: 'max-agent-body-bytes' }
        : { octets: maxBodyInspectionBytes, name: 'max-body-inspection-bytes' },
    decompression: { maxOctets: maxDecompressedSizeBytes, maxRatio: maxDecompressionRatio },
  };
};

/** Combines the limits of the gateway and of an agent. An agent's limit of 0 means none. */
export const inspectionCut = (
  { size }: InspectionLimits,
  agent: string,
  capabilities: AgentCapabilities | null,
): InspectionCut => {
  if (capabilities === null) return { size, chunkOctets: usualChunkOctets, isWhole: false };
  const { features, limits } = capabilities;
  const isWhole = !features.streamingBody;
  const declared = limits.maxBodySize > 0 ? limits.maxBodySize : Number.POSITIVE_INFINITY;
  const agentLimit = isWhole ? Math.min(declared, maxChunkOctets) : declared;
  const preferred = limits.preferredChunkSize;
  const isUsable = Number.isInteger(preferred) && preferred > 0 && preferred <= maxChunkOctets;
  return {
    size: agentLimit < size.octets ? { octets: agentLimit, name: `max_body_size of the agent "${agent}"` } : size,
    chunkOctets: isUsable ? Math.max(preferred, minChunkOctets) : usualChunkOctets,
    isWhole,
  };
};

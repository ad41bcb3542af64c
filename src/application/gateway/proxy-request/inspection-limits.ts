import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { LimitsConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { DecompressionRules } from '../../../domain/gateway/limits/decompression-rules.js';

/** How much of a body agents are shown. */
export interface InspectionLimits {
  /** A body over it is shown to no agent, not even in part. */
  readonly size: InspectionSize;
  readonly decompression: DecompressionRules;
}

export interface InspectionSize {
  /** Octets, both as they came and as an agent sees them. */
  readonly octets: number;
  /** Where the limit comes from: a key of the configuration, or what an agent has said. */
  readonly name: string;
}

/** How a body is cut for an agent. */
export interface InspectionCut {
  readonly size: InspectionSize;
  /** Octets of a chunk at most. */
  readonly chunkOctets: number;
  /** The agent takes a body in one chunk alone. */
  readonly isWhole: boolean;
}

/** Octets of a chunk where the agent prefers no size that a chunk can have. */
const usualChunkOctets = 65_536;

/** An agent that prefers chunks that are smaller gets them of this size: each is a call. */
const minChunkOctets = 1_024;

/** The largest chunk: with base64 and JSON around it it fits into a frame of every transport (10 MiB and more). */
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

/** What the gateway allows and the agent can take. A limit of 0 is an agent's way to say nothing. */
export const inspectionCut = (
  { size }: InspectionLimits,
  agent: string,
  capabilities: AgentCapabilities | null,
): InspectionCut => {
  if (capabilities === null) return { size, chunkOctets: usualChunkOctets, isWhole: false };
  const { features, limits } = capabilities;
  const isWhole = !features.streamingBody;
  const said = limits.maxBodySize > 0 ? limits.maxBodySize : Number.POSITIVE_INFINITY;
  const its = isWhole ? Math.min(said, maxChunkOctets) : said;
  const preferred = limits.preferredChunkSize;
  const isUsable = Number.isInteger(preferred) && preferred > 0 && preferred <= maxChunkOctets;
  return {
    size: its < size.octets ? { octets: its, name: `max_body_size of the agent "${agent}"` } : size,
    chunkOctets: isUsable ? Math.max(preferred, minChunkOctets) : usualChunkOctets,
    isWhole,
  };
};

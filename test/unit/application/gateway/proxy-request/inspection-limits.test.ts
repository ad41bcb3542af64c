import { describe, expect, it } from 'vitest';
import {
  inspectionCut,
  inspectionLimits,
} from '../../../../../src/application/gateway/proxy-request/inspection-limits.js';
import type { AgentCapabilities } from '../../../../../src/domain/agent-protocol/capabilities.js';
import { fakeCapabilities } from '../../../../support/agent/fake-agent-service.js';
import { testLimits } from '../../../../support/gateway/in-process-gateway.js';

const said = (
  limits: Partial<AgentCapabilities['limits']>,
  features: Partial<AgentCapabilities['features']> = {},
): AgentCapabilities => ({
  ...fakeCapabilities,
  features: { ...fakeCapabilities.features, ...features },
  limits: { ...fakeCapabilities.limits, ...limits },
});

const limits = inspectionLimits({ ...testLimits, maxBodyInspectionBytes: 5_000, maxAgentBodyBytes: 6_000 });

describe('the inspection limits', () => {
  it('use the smaller of the two keys, under its name', () => {
    expect(limits.size).toEqual({ octets: 5_000, name: 'max-body-inspection-bytes' });
    const other = inspectionLimits({ ...testLimits, maxBodyInspectionBytes: 5_000, maxAgentBodyBytes: 4_999 });
    expect(other.size).toEqual({ octets: 4_999, name: 'max-agent-body-bytes' });
  });

  it("shrink to the limit of the agent, and never grow beyond the gateway's", () => {
    expect(inspectionCut(limits, 'auth', said({ maxBodySize: 4_999 })).size).toEqual({
      octets: 4_999,
      name: 'max_body_size of the agent "auth"',
    });
    expect(inspectionCut(limits, 'auth', said({ maxBodySize: 5_001 })).size).toBe(limits.size);
    expect(inspectionCut(limits, 'auth', said({ maxBodySize: 0 })).size).toBe(limits.size);
    expect(inspectionCut(limits, 'auth', null).size).toBe(limits.size);
  });

  it('fit into one frame if the agent supports only one chunk', () => {
    const large = inspectionLimits({ ...testLimits, maxBodyInspectionBytes: 1e8, maxAgentBodyBytes: 1e8 });
    const cut = inspectionCut(large, 'auth', said({ maxBodySize: 0 }, { streamingBody: false }));
    expect(cut).toMatchObject({ isWhole: true, size: { octets: 7_340_032 } });
    // As base64 in the smallest frame of any transport, with room for the rest of the message.
    expect((cut.size.octets / 3) * 4).toBeLessThan(10 * 1024 * 1024 - 65_536);
  });

  it.each([
    [1_024, 1_024],
    [7_340_032, 7_340_032],
    [1_025, 1_025],
    [1_023, 1_024],
    [10, 1_024],
    [1, 1_024],
    [7_340_033, 65_536],
    [0, 65_536],
    [-5, 65_536],
    [1_024.5, 65_536],
    [Number.NaN, 65_536],
  ])('turn a preferred chunk size of %d octets into %d', (preferred, used) => {
    expect(inspectionCut(limits, 'auth', said({ preferredChunkSize: preferred })).chunkOctets).toBe(used);
  });
});

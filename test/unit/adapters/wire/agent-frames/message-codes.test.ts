import { describe, expect, it } from 'vitest';
import {
  agentMessageNames,
  gatewayMessageNames,
  messageKinds,
} from '../../../../../src/adapters/wire/agent-frames/message-codes.js';

describe('the messages of the agent protocol', () => {
  it('have their codes', () => {
    const codes = Object.fromEntries(Object.entries(messageKinds).map(([name, { code }]) => [name, code]));
    expect(codes).toEqual({
      handshake_request: 0x01,
      handshake_response: 0x02,
      request_headers: 0x10,
      request_body_chunk: 0x11,
      response_headers: 0x12,
      response_body_chunk: 0x13,
      request_complete: 0x14,
      websocket_frame: 0x15,
      guardrail_inspect: 0x16,
      configure: 0x17,
      agent_response: 0x20,
      health_status: 0x30,
      metrics_report: 0x31,
      config_update_request: 0x32,
      flow_control: 0x33,
      cancel: 0x40,
      ping: 0x41,
      pong: 0x42,
    });
  });

  it('go one way each', () => {
    expect([...agentMessageNames.keys()].sort()).toEqual([0x02, 0x20, 0x30, 0x31, 0x32, 0x33, 0x42]);
    expect(gatewayMessageNames.size + agentMessageNames.size).toBe(Object.keys(messageKinds).length);
  });
});

/** The sender of a message. */
type Sender = 'gateway' | 'agent';

interface MessageKind {
  readonly code: number;
  readonly from: Sender;
}

const gateway = (code: number): MessageKind => ({ code, from: 'gateway' });
const agent = (code: number): MessageKind => ({ code, from: 'agent' });

/** All messages of the Unix-socket transport with their type bytes, for both ends. */
export const messageKinds = {
  handshake_request: gateway(0x01),
  handshake_response: agent(0x02),
  request_headers: gateway(0x10),
  request_body_chunk: gateway(0x11),
  response_headers: gateway(0x12),
  response_body_chunk: gateway(0x13),
  request_complete: gateway(0x14),
  websocket_frame: gateway(0x15),
  guardrail_inspect: gateway(0x16),
  configure: gateway(0x17),
  agent_response: agent(0x20),
  health_status: agent(0x30),
  metrics_report: agent(0x31),
  config_update_request: agent(0x32),
  flow_control: agent(0x33),
  cancel: gateway(0x40),
  ping: gateway(0x41),
  pong: agent(0x42),
} as const satisfies Record<string, MessageKind>;

export type MessageName = keyof typeof messageKinds;

const namesFrom = (sender: Sender): ReadonlyMap<number, MessageName> =>
  new Map(
    (Object.keys(messageKinds) as MessageName[])
      .filter((name) => messageKinds[name].from === sender)
      .map((name) => [messageKinds[name].code, name]),
  );

/** Messages from gateways, by code. */
export const gatewayMessageNames = namesFrom('gateway');
/** Messages from agents, by code. */
export const agentMessageNames = namesFrom('agent');

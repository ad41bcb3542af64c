import { createServer, type Socket } from 'node:net';
import { LegacyAgentConnector } from '../../../src/adapters/outbound/agent-legacy-client/legacy-agent-connector.js';
import { SocketAgentConnector } from '../../../src/adapters/outbound/agent-socket-client/socket-agent-connector.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import type { AgentConnector } from '../../../src/application/ports/gateway/agent-connector.js';
import type { AgentEvent } from '../../../src/domain/agent-protocol/messages.js';
import { agentSubscriptions } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { answerJson } from '../shared/answer-json.js';
import { rawHandshakeAnswer } from '../shared/raw-agent-peer.js';
import { temporaryFolder } from '../shared/temporary-folder.js';
import { FrameCutter, type HostileAgent, type HostileCall, type HostileLine, quickLimits } from './hostile-agent.js';
import { testSocketLayers } from './socket-layers.js';

/** What one framing of the Unix socket has of its own. */
interface Framing {
  readonly cutter: () => FrameCutter;
  readonly message: HostileLine['message'];
  /** What the agent says to a frame by itself; null where it is a call. */
  greet(head: Buffer, body: Buffer): Buffer | null;
  call(head: Buffer, body: Buffer): { readonly kind: AgentEvent['kind']; readonly payload: Payload } | null;
  connector(path: string): AgentConnector;
}

interface Payload {
  readonly correlation_id: string;
  readonly is_last?: boolean;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
}

const behindLength = (octets: Uint8Array, length: number): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length);
  return Buffer.concat([head, octets]);
};

/** A frame of a type of the second framing. */
export const typedFrame = (code: number, octets: Uint8Array | string, length?: number): Buffer => {
  const body = Buffer.concat([Buffer.of(code), Buffer.from(octets)]);
  return behindLength(body, length ?? body.length);
};

const framing: Framing = {
  cutter: () => new FrameCutter(5, 0, 1),
  message: (octets, length) => typedFrame(0x20, octets, length),
  greet(head, body) {
    const code = head.readUInt8(4);
    if (code === 0x41) return typedFrame(0x42, body);
    if (code !== 0x01) return null;
    const capabilities = { ...rawHandshakeAnswer.capabilities, supported_events: [1, 2, 3, 4, 5] };
    return typedFrame(0x02, JSON.stringify({ ...rawHandshakeAnswer, capabilities }));
  },
  call(head, body) {
    const kind = (
      ['request_headers', 'request_body_chunk', 'response_headers', 'response_body_chunk', 'request_complete'] as const
    )[head.readUInt8(4) - 0x10];
    return kind === undefined ? null : { kind, payload: JSON.parse(body.toString('utf8')) };
  },
  connector: (path) =>
    new SocketAgentConnector(
      { path, owner: null, proxyId: 'gateway-1', proxyVersion: '0.1.0' },
      { clock: new SystemClock(), scheduler: new NodeScheduler(), layers: testSocketLayers },
      quickLimits,
    ),
};

interface LegacyMessage {
  readonly event_type: AgentEvent['kind'] | 'configure';
  readonly payload: Payload;
}

const legacyFraming: Framing = {
  cutter: () => new FrameCutter(4, 0),
  message: (octets, length = octets.length) => behindLength(octets, length),
  greet(_, body) {
    const { event_type: type } = JSON.parse(body.toString('utf8')) as LegacyMessage;
    return type === 'configure' ? this.message(Buffer.from('{"success":true}')) : null;
  },
  call(_, body) {
    const { event_type: kind, payload } = JSON.parse(body.toString('utf8')) as LegacyMessage;
    return kind === 'configure' ? null : { kind, payload };
  },
  connector: (path) =>
    new LegacyAgentConnector(
      { name: 'auth', path, owner: null, events: agentSubscriptions },
      { scheduler: new NodeScheduler() },
      quickLimits,
    ),
};

const lineOver = (socket: Socket, { message }: Framing): HostileLine => ({
  answer: (answer, correlationId) => message(Buffer.from(answerJson(answer, correlationId))),
  message,
  write: (octets) => {
    if (socket.writable) socket.write(octets);
  },
  endHalf: () => socket.end(),
  cut: () => socket.destroy(),
  stopReading: () => socket.pause(),
  readAgain: () => socket.resume(),
  get isOpen() {
    return !socket.destroyed;
  },
});

const serve = async (own: Framing): Promise<HostileAgent> => {
  const folder = temporaryFolder();
  const path = folder.file('agent.sock');
  const lines: HostileLine[] = [];
  const sockets: Socket[] = [];
  const agent: HostileAgent = {
    greet: () => true,
    behave: () => {},
    lines,
    connector: own.connector(path),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      folder.remove();
    },
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const line = lineOver(socket, own);
    const cutter = own.cutter();
    sockets.push(socket);
    lines.push(line);
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('data', (chunk: Buffer) => {
      for (const { head, body } of cutter.push(chunk)) {
        const greeting = own.greet(head, body);
        if (greeting !== null && agent.greet(line)) line.write(greeting);
        const call = own.call(head, body);
        if (call === null) continue;
        const { correlation_id: id, is_last: isLast = false, headers } = call.payload;
        agent.behave({ kind: call.kind, id, line, isLast, mark: headers?.['x-mark']?.[0] ?? null } as HostileCall);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return agent;
};

export const hostileSocketAgent = (): Promise<HostileAgent> => serve(framing);
export const hostileLegacyAgent = (): Promise<HostileAgent> => serve(legacyFraming);

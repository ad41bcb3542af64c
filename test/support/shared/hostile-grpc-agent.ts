import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { MethodDefinition } from '@grpc/grpc-js';
import { agentResponseMessage } from '../../../src/adapters/wire/agent-grpc/agent-message.js';
import type { GrpcAgentToProxy, GrpcProxyToAgent } from '../../../src/adapters/wire/agent-grpc/grpc-messages.js';
import { loadAgentGrpc } from '../../../src/bootstrap/shared/load-agent-grpc.js';
import {
  FrameCutter,
  type HostileAgent,
  type HostileCall,
  type HostileLine,
  quickLimits,
} from '../gateway/hostile-agent.js';
import { grpcConnector } from './grpc-connections.js';
import { rawCapabilities } from './raw-grpc-agent.js';
import { prefixed } from './raw-http2-gateway.js';

type Method = MethodDefinition<GrpcProxyToAgent, GrpcAgentToProxy>;

const callOf = (message: GrpcProxyToAgent): Omit<HostileCall, 'line'> | null => {
  const { request_headers: request, response_headers: response, request_complete: complete } = message;
  const mark = request?.headers?.find(({ name }) => name === 'x-mark')?.value ?? null;
  const rest = { mark: null, isLast: false };
  if (request) return { kind: 'request_headers', id: request.metadata?.correlation_id ?? '', isLast: false, mark };
  if (response) return { ...rest, kind: 'response_headers', id: response.correlation_id ?? '' };
  if (complete) return { ...rest, kind: 'request_complete', id: complete.correlation_id ?? '' };
  for (const kind of ['request_body_chunk', 'response_body_chunk'] as const) {
    const chunk = message[kind];
    if (chunk) return { kind, id: chunk.correlation_id ?? '', isLast: chunk.is_last ?? false, mark: null };
  }
  return null;
};

const lineOver = (stream: ServerHttp2Stream, method: Method): HostileLine => ({
  answer: (answer, correlationId) => prefixed(method.responseSerialize(agentResponseMessage(answer, correlationId))),
  message: (octets, length) => prefixed(octets, 0, length),
  write: (octets) => {
    if (stream.writable) stream.write(octets);
  },
  endHalf: () => stream.end(),
  // Within what node:http2 calls, it would corrupt its memory.
  cut: () => void setImmediate(() => stream.session?.destroy()),
  stopReading: () => stream.pause(),
  readAgain: () => stream.resume(),
  get isOpen() {
    return !stream.destroyed;
  },
});

/** An agent whose gRPC is written by hand on HTTP/2, so that its octets can be anything. */
export const hostileGrpcAgent = async (): Promise<HostileAgent> => {
  const method = (await loadAgentGrpc()).service['ProcessStream'] as Method;
  const lines: HostileLine[] = [];
  const sessions: ServerHttp2Session[] = [];
  const server = createServer();
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if (headers[':path'] !== method.path) {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' }, { endStream: true });
      return;
    }
    const line = lineOver(stream, method);
    const cutter = new FrameCutter(5, 1);
    lines.push(line);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    const say = (message: GrpcAgentToProxy): void => line.write(prefixed(method.responseSerialize(message)));
    stream.on('data', (chunk: Buffer) => {
      for (const { body } of cutter.push(chunk)) {
        const message = method.requestDeserialize(body);
        if (message.handshake && agent.greet(line)) {
          const capabilities = { ...rawCapabilities, supported_events: [1, 2, 3, 4, 5] };
          say({ handshake: { protocol_version: 2, capabilities, success: true } });
        }
        if (message.ping && agent.greet(line)) say({ pong: { sequence: message.ping.sequence ?? 0 } });
        const call = callOf(message);
        if (call !== null) agent.behave({ ...call, line });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent: HostileAgent = {
    greet: () => true,
    behave: () => {},
    lines,
    connector: grpcConnector({ kind: 'tcp', host: '127.0.0.1', port }, {}, quickLimits),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) setImmediate(() => session.destroy());
      await closed;
    },
  };
  return agent;
};

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server, Socket } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  channelOptions,
  gatedCredentials,
  targetOf,
} from '../../../../../src/adapters/outbound/agent-grpc-client/grpc-agent-connector.js';
import { SocketGate } from '../../../../../src/adapters/outbound/agent-grpc-client/socket-gate.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { connectRecorded, grpcConnector } from '../../../../support/shared/grpc-connections.js';
import { RawGrpcAgent } from '../../../../support/shared/raw-grpc-agent.js';

/** Remembers the sockets that it was asked about. */
class WatchedGate extends SocketGate {
  readonly asked: Socket[] = [];

  override admit(socket: Socket): Promise<Socket> {
    this.asked.push(socket);
    return super.admit(socket);
  }
}

// The members that the library calls are not part of its published interface.
describe('the gate for sockets of @grpc/grpc-js', () => {
  let agent: RawGrpcAgent;
  beforeEach(async () => {
    agent = await RawGrpcAgent.open();
  });
  afterEach(() => agent.close());

  const open = (gate: SocketGate): grpc.Client =>
    new grpc.Client(targetOf(agent.address), gatedCredentials(grpc, gate), channelOptions);
  const ready = (client: grpc.Client): Promise<Error | undefined> =>
    new Promise((resolve) => client.waitForReady(Date.now() + 5_000, resolve));

  it('receives the connected socket, and returns the one that the library uses', async () => {
    const gate = new WatchedGate({ kind: 'none' });
    const client = open(gate);
    expect(await ready(client)).toBeUndefined();
    expect(gate.asked).toHaveLength(1);
    expect(gate.asked[0]).toBeInstanceOf(Socket);
    expect(gate.asked[0]?.bytesWritten).toBeGreaterThan(0);
    expect(gate.failure).toBeNull();
    client.close();
  });

  it('prevents every message on refusal', async () => {
    const gate = new WatchedGate({ kind: 'owner', path: '/nowhere/a.sock', owner: null });
    const client = open(gate);
    const status = new Promise<grpc.StatusObject>((resolve) => {
      const call = client.makeBidiStreamRequest(
        '/a.B/C',
        (octets: Buffer) => octets,
        (octets) => octets,
      );
      call.on('error', () => {});
      call.on('status', resolve);
    });
    expect((await status).code).toBe(grpc.status.UNAVAILABLE);
    expect(gate.failure).toMatchObject({ kind: 'ended', detail: expect.stringContaining('/nowhere/a.sock') });
    expect(gate.asked.map((socket) => [socket.bytesWritten, socket.destroyed])).toEqual([[0, true]]);
    client.close();
  });

  it('closes passed sockets and late ones', async () => {
    const gate = new WatchedGate({ kind: 'none' });
    const client = open(gate);
    await ready(client);
    gate.close();
    expect(gate.asked[0]?.destroyed).toBe(true);
    const late = new Socket();
    await expect(gate.admit(late)).rejects.toThrow('ended before it was used');
    expect(late.destroyed).toBe(true);
    client.close();
  });
});

describe('a peer that accepts a connection, is silent, and does not close', () => {
  const created: Socket[] = [];
  const noteCreated = (message: unknown): void => {
    created.push((message as { readonly socket: Socket }).socket);
  };
  const accepted: Socket[] = [];
  let server: Server;
  beforeEach(async () => {
    created.length = 0;
    accepted.length = 0;
    subscribe('net.client.socket', noteCreated);
    server = createServer({ allowHalfOpen: true }, (socket) => {
      accepted.push(socket);
      socket.resume();
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    unsubscribe('net.client.socket', noteCreated);
    for (const socket of accepted) socket.destroy();
    server.close();
  });

  it.each([
    ['in plaintext', null],
    ['within TLS', { caCertFile: null, certificate: null, serverName: 'a.example' }],
  ])('holds no socket of the gateway %s', async (_, tls) => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const connector = grpcConnector({ kind: 'tcp', host: '127.0.0.1', port }, { tls }, { handshakeTimeoutMs: 200 });
    const { told } = connectRecorded(connector);
    const own = () => created.filter(({ localPort }) => localPort === accepted[0]?.remotePort);
    await eventually(() => accepted.length === 1 && own().length === 1);
    const [socket] = own();
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended', detail: expect.stringContaining('in time') });
    await eventually(() => socket?.closed === true);
  });
});

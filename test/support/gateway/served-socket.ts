import type { AgentUnixSocketServer } from '../../../src/adapters/inbound/agent-unix-socket/agent-unix-socket-server.js';
import type { AgentServerOptions } from '../../../src/adapters/inbound/agent-unix-socket/server-options.js';
import { FakeAgentService } from '../agent/fake-agent-service.js';
import { socketServer } from '../shared/agent-transports.js';
import { type RawFrame, type RawPeer, rawGateway, rawHandshake } from '../shared/raw-agent-peer.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { temporaryFolder } from '../shared/temporary-folder.js';

/** The payload of a RequestHeaders message, as small as one can be. */
export const rawEvent = (id: string, members: object = {}): object => ({
  correlation_id: id,
  metadata: {
    correlation_id: id,
    request_id: 'r',
    client_ip: '192.0.2.7',
    client_port: 1,
    protocol: 'HTTP/1.1',
    timestamp: '2023-11-14T22:13:20.123456789+00:00',
  },
  method: 'GET',
  uri: '/',
  headers: { Accept: ['*/*'] },
  ...members,
});

export const parsedFrame = (frame: RawFrame | undefined): Record<string, unknown> =>
  JSON.parse(frame?.payload ?? 'null');

/** An agent on a socket of its own, and the raw gateways that connect to it. */
export class ServedSocket {
  readonly logger = new RecordingLogger();
  readonly service = new FakeAgentService();
  readonly #folder = temporaryFolder();
  readonly path = this.#folder.file('agent.sock');
  readonly #peers: RawPeer[] = [];
  #server: AgentUnixSocketServer | null = null;

  /** The server, once it listens. */
  get server(): AgentUnixSocketServer {
    if (this.#server === null) throw new Error('it does not listen');
    return this.#server;
  }

  async listen(options: Partial<AgentServerOptions> = {}): Promise<void> {
    this.#server = socketServer(this.path, this.service, options, this.logger);
    await this.#server.listen();
  }

  /** Closes a peer at the end of the test. */
  keep(peer: RawPeer): RawPeer {
    this.#peers.push(peer);
    return peer;
  }

  /** A connection without a handshake. */
  async gateway(): Promise<RawPeer> {
    return this.keep(await rawGateway(this.path));
  }

  /** Listens, and gives a connection that has had its handshake and the first report. */
  async greeted(options: Partial<AgentServerOptions> = {}): Promise<RawPeer> {
    await this.listen(options);
    const peer = await this.gateway();
    peer.send(0x01, rawHandshake);
    await peer.received(0x30);
    return peer;
  }

  async close(): Promise<void> {
    for (const peer of this.#peers.splice(0)) peer.socket.destroy();
    await this.#server?.drain(0);
    this.#folder.remove();
  }
}

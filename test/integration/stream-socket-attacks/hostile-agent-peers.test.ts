import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { AgentOutcome } from '../../../src/application/ports/gateway/agent-client.js';
import { allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import { Deferred, FakeAgentService } from '../../support/agent/fake-agent-service.js';
import { rawEvent } from '../../support/gateway/served-socket.js';
import { layersOf } from '../../support/gateway/socket-layers.js';
import { headersEvent } from '../../support/shared/agent-events.js';
import { socketClient, socketServer } from '../../support/shared/agent-transports.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { startProcess } from '../../support/shared/processes.js';
import {
  type RawAgent,
  RawPeer,
  rawAgent,
  rawFrame,
  rawGateway,
  rawHandshake,
  rawHandshakeAnswer,
} from '../../support/shared/raw-agent-peer.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';
import type { TemporaryFolder } from '../../support/shared/temporary-folder.js';

type LayerName = 'native' | 'node';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

const answerTo = (id: string): Buffer =>
  rawFrame(0x20, { version: 2, decision: 'allow', audit: { custom: { correlation_id: id } } });

const octetByOctet = async (octets: Buffer, write: (octet: Buffer) => void): Promise<void> => {
  for (let at = 0; at < octets.length; at += 1) {
    write(octets.subarray(at, at + 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
};

/** A client on one layer; it makes one connection. */
const started = async (
  cleanUp: CleanUp,
  path: string,
  name: LayerName,
  options: Parameters<typeof socketClient>[2] = {},
) => {
  const logger = new RecordingLogger();
  const layers = await layersOf(name);
  const client = socketClient(path, { timeoutMs: 10_000 }, { connections: 1, ...options }, logger, layers);
  cleanUp.add(() => client.stop(0));
  client.start();
  return { client, logger };
};

const listening = async (cleanUp: CleanUp, path: string, greet?: (peer: RawPeer) => void): Promise<RawAgent> => {
  const agent = await rawAgent(path, greet);
  cleanUp.add(() => agent.close());
  return agent;
};

/** A program that answers the handshake of each connection and reads on. */
const agentProgram = (path: string): readonly string[] => [
  '-e',
  `const answer = Buffer.from(${JSON.stringify(rawFrame(0x02, rawHandshakeAnswer).toString('base64'))}, 'base64');
   require('node:net').createServer((socket) => {
     socket.on('error', () => {});
     socket.once('data', () => socket.write(answer));
     socket.on('data', () => {});
   }).listen(${JSON.stringify(path)}, () => console.log('listening'));`,
];

/** A program that connects as a gateway, sends octets and reads the answers. */
const gatewayProgram = (path: string, octets: Buffer): readonly string[] => [
  '-e',
  `const socket = require('node:net').connect(${JSON.stringify(path)});
   socket.on('error', () => process.exit(0));
   socket.on('close', () => process.exit(0));
   socket.write(Buffer.from(${JSON.stringify(octets.toString('base64'))}, 'base64'));
   socket.once('data', () => console.log('greeted'));`,
];

describe.each<LayerName>(['native', 'node'])('a gateway on the %s layer and an agent', (name) => {
  it('reads an agent that writes one octet at a time', async ({ cleanUp, folder }) => {
    const agent = await listening(cleanUp, folder.file('a.sock'), (peer) => {
      peer.socket.setNoDelay();
      void peer
        .received(0x01)
        .then(() => octetByOctet(rawFrame(0x02, rawHandshakeAnswer), (octet) => peer.socket.write(octet)));
    });
    const { client } = await started(cleanUp, folder.file('a.sock'), name);
    await eventually(() => client.status().connections === 1);
    const asked = [client.ask(headersEvent('one')), client.ask(headersEvent('two'))];
    const peer = await agent.peer();
    await peer.received(0x10, 2);
    const answers = Buffer.concat([answerTo('two'), answerTo('one')]);
    await octetByOctet(answers, (octet) => peer.socket.write(octet));
    expect((await Promise.all(asked)).map(codeOf)).toEqual(['allow', 'allow']);
  });

  it('keeps its other agent while one floods it with frames', async ({ cleanUp, folder }) => {
    let isFlooding = true;
    cleanUp.add(() => {
      isFlooding = false;
    });
    const pongs = Buffer.concat(Array.from({ length: 2_000 }, () => rawFrame(0x42, '{"sequence":1}')));
    await listening(cleanUp, folder.file('flood.sock'), (peer) => {
      const flood = (): void => {
        while (isFlooding && peer.socket.writable && peer.socket.write(pongs));
      };
      peer.socket.on('drain', flood);
      void peer.received(0x01).then(() => {
        peer.send(0x02, rawHandshakeAnswer);
        flood();
      });
    });
    const calm = await listening(cleanUp, folder.file('calm.sock'));
    const [flooded, other] = [
      await started(cleanUp, folder.file('flood.sock'), name),
      await started(cleanUp, folder.file('calm.sock'), name),
    ];
    await eventually(() => flooded.client.status().connections === 1 && other.client.status().connections === 1);
    const peer = await calm.peer();
    for (let call = 1; call <= 20; call += 1) {
      const asked = other.client.ask(headersEvent(`call-${call}`));
      await peer.received(0x10, call);
      peer.socket.write(answerTo(`call-${call}`));
      expect(codeOf(await asked)).toBe('allow');
    }
    expect(flooded.client.status().connections).toBe(1);
  });

  it('leaves an agent that has stopped, and closes its socket', async ({ cleanUp, folder }) => {
    const path = folder.file('a.sock');
    const agent = startProcess(process.execPath, agentProgram(path));
    cleanUp.add(() => agent.stop());
    await agent.wrote(/listening/);
    const limits = { pingIntervalMs: 200, handshakeTimeoutMs: 300, busyOutputBytes: 400_000 };
    const { client, logger } = await started(cleanUp, path, name, limits);
    await eventually(() => client.status().connections === 1);
    agent.signal('SIGSTOP');
    const headers = ['x-large', 'x'.repeat(60_000)];
    const asked = Array.from({ length: 40 }, (_, call) => client.ask(headersEvent(`call-${call}`, { headers })));
    await eventually(() => client.status().connections === 0);
    for (const outcome of await Promise.all(asked)) expect(outcome.ok).toBe(false);
    expect(JSON.stringify(logger.lines)).toContain('the agent does not answer a ping');
    // Its kernel accepts new connections; no handshake is answered.
    await sleep(700);
    expect(client.status().connections).toBe(0);
    agent.signal('SIGCONT');
    await eventually(() => client.status().connections === 1);
  });

  it('fails the calls of an agent that ends its side within a frame, and connects again', async ({
    cleanUp,
    folder,
  }) => {
    const agent = await listening(cleanUp, folder.file('a.sock'));
    const { client, logger } = await started(cleanUp, folder.file('a.sock'), name);
    await eventually(() => client.status().connections === 1);
    const asked = client.ask(headersEvent('one'));
    const peer = await agent.peer();
    await peer.received(0x10);
    const frame = answerTo('one');
    peer.socket.write(frame.subarray(0, frame.length - 1));
    peer.socket.end();
    expect(codeOf(await asked)).not.toBe('allow');
    expect(JSON.stringify(logger.lines)).toContain('the connection ended within a frame');
    await eventually(() => client.status().connections === 1 && agent.peers.length === 2);
  });

  it('keeps its connection when the socket file vanishes, and returns when it is back', async ({ cleanUp, folder }) => {
    const path = folder.file('a.sock');
    const agent = await listening(cleanUp, path);
    const { client } = await started(cleanUp, path, name);
    await eventually(() => client.status().connections === 1);
    rmSync(path);
    const asked = client.ask(headersEvent('one'));
    const peer = await agent.peer();
    await peer.received(0x10);
    peer.socket.write(answerTo('one'));
    expect(codeOf(await asked)).toBe('allow');
    peer.socket.destroy();
    await eventually(() => client.status().connections === 0);
    await sleep(50);
    expect(client.status().connections).toBe(0);
    await listening(cleanUp, path);
    await eventually(() => client.status().connections === 1);
  });

  it('reports a path at which nothing listens as node:net does', async ({ folder }) => {
    const layers = await layersOf(name);
    const failed = (path: string): Promise<NodeJS.ErrnoException> =>
      new Promise((resolve) => {
        const socket = layers.current.connectPath(path, () => true);
        socket.on('error', resolve);
        socket.once('connect', () => resolve(new Error('it connected')));
      });
    expect((await failed(folder.file('none.sock'))).message).toBe(`connect ENOENT ${folder.file('none.sock')}`);
    const file = folder.write('file', '');
    expect(await failed(file)).toMatchObject({ code: 'ECONNREFUSED', syscall: 'connect' });
  });
});

describe.each<LayerName>(['native', 'node'])('an agent on the %s layer and a gateway', (name) => {
  const served = async (
    cleanUp: CleanUp,
    folder: TemporaryFolder,
    options: Parameters<typeof socketServer>[2] = {},
  ) => {
    const [service, logger, path] = [new FakeAgentService(), new RecordingLogger(), folder.file('agent.sock')];
    const server = socketServer(path, service, options, logger, await layersOf(name));
    await server.listen();
    cleanUp.add(() => server.drain(0));
    return { service, logger, path, server };
  };

  const greeted = async (cleanUp: CleanUp, path: string): Promise<RawPeer> => {
    const peer = await rawGateway(path);
    cleanUp.add(() => peer.socket.destroy());
    peer.send(0x01, rawHandshake);
    await peer.received(0x30);
    return peer;
  };

  it('reads a gateway that writes one octet at a time', async ({ cleanUp, folder }) => {
    const { path } = await served(cleanUp, folder);
    const peer = await rawGateway(path);
    cleanUp.add(() => peer.socket.destroy());
    const octets = Buffer.concat([rawFrame(0x01, rawHandshake), rawFrame(0x10, rawEvent('a')), rawFrame(0x41, '{}')]);
    await octetByOctet(octets, (octet) => peer.socket.write(octet));
    expect(await peer.received(0x20)).toHaveLength(1);
    expect(await peer.received(0x42)).toHaveLength(1);
  });

  it('keeps what it cannot take yet, whatever it reads of others meanwhile', async ({ cleanUp, folder }) => {
    const { service, path } = await served(cleanUp, folder);
    const gate = new Deferred<void>();
    service.maxConcurrency = 2;
    service.answer = async () => {
      await gate.promise;
      return allowAnswer;
    };
    const [held, other] = [await greeted(cleanUp, path), await greeted(cleanUp, path)];
    // More events than are judged or queued at a time: the rest stays in the decoder.
    const events = Array.from({ length: 400 }, (_, at) =>
      rawFrame(0x10, rawEvent(`held-${at}`, { uri: `/${'a'.repeat(at)}` })),
    );
    held.socket.write(Buffer.concat(events));
    await service.received(2);
    for (let ping = 0; ping < 200; ping += 1)
      other.send(0x41, JSON.stringify({ sequence: ping, text: 'z'.repeat(900) }));
    await other.received(0x42, 200);
    gate.resolve();
    expect(await held.received(0x20, 400)).toHaveLength(400);
    const uris = service.events.map((event) => (event.kind === 'request_headers' ? event.uri : ''));
    expect(uris).toEqual(Array.from({ length: 400 }, (_, at) => `/${'a'.repeat(at)}`));
  });

  it('disconnects a gateway that has stopped, and serves the others', async ({ cleanUp, folder }) => {
    const { service, logger, path } = await served(cleanUp, folder, {
      maxOutputBytes: 2_000_000,
      pausingOutputBytes: 1_900_000,
    });
    const gate = new Deferred<void>();
    const decision = { kind: 'block', status: 403, body: 'x'.repeat(200_000), headers: [] } as const;
    service.answer = async () => {
      await gate.promise;
      return { ...allowAnswer, decision };
    };
    const events = Array.from({ length: 40 }, (_, at) => rawFrame(0x10, rawEvent(`e-${at}`)));
    const gateway = startProcess(
      process.execPath,
      gatewayProgram(path, Buffer.concat([rawFrame(0x01, rawHandshake), ...events])),
    );
    cleanUp.add(() => gateway.stop());
    await gateway.wrote(/greeted/);
    await service.received(40);
    gateway.signal('SIGSTOP');
    gate.resolve();
    await eventually(() => JSON.stringify(logger.lines).includes('the gateway does not read'));
    service.answer = () => allowAnswer;
    const peer = await greeted(cleanUp, path);
    peer.send(0x10, rawEvent('after'));
    expect(await peer.received(0x20)).toHaveLength(1);
  });

  it('sends what it has answered to a gateway that ends its side', async ({ cleanUp, folder }) => {
    const { service, path } = await served(cleanUp, folder);
    service.isPrompt = true;
    const socket = connect({ path, allowHalfOpen: true });
    const peer = new RawPeer(socket);
    cleanUp.add(() => socket.destroy());
    socket.end(Buffer.concat([rawFrame(0x01, rawHandshake), rawFrame(0x41, '{}')]));
    await peer.closed();
    expect(peer.frames.map(({ code }) => code)).toContain(0x42);
    await eventually(() => service.disconnects === 1);
  });

  it('serves its connections when its socket file vanishes, and drains', async ({ cleanUp, folder }) => {
    const { path, server } = await served(cleanUp, folder);
    const peer = await greeted(cleanUp, path);
    rmSync(path);
    peer.send(0x10, rawEvent('a'));
    expect(await peer.received(0x20)).toHaveLength(1);
    await server.drain(0);
    await peer.closed();
  });

  it('sends the answers of a turn in one write', async ({ cleanUp, folder }) => {
    const { service, path } = await served(cleanUp, folder);
    const gate = new Deferred<void>();
    service.answer = async () => {
      await gate.promise;
      return allowAnswer;
    };
    const peer = await greeted(cleanUp, path);
    for (let event = 0; event < 50; event += 1) peer.send(0x10, rawEvent(`e-${event}`));
    await service.received(50);
    let reads = 0;
    peer.socket.on('data', () => {
      reads += 1;
    });
    gate.resolve();
    await peer.received(0x20, 50);
    expect(reads).toBe(1);
  });
});

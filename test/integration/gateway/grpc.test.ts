import {
  type Client,
  Metadata,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { describe, expect } from 'vitest';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testLimits,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { callMethods, grpcClient, startGrpcServer, unaryCall } from '../../support/shared/grpc-calls.js';

type Unary = ServerUnaryCall<Buffer, Buffer>;
type Reader = ServerReadableStream<Buffer, Buffer>;
type Writer = ServerWritableStream<Buffer, Buffer>;
type Duplex = ServerDuplexStream<Buffer, Buffer>;
type Reply = sendUnaryData<Buffer>;

/** A gRPC client, a gateway that takes HTTP/2 in plaintext, and a gRPC server behind it. */
const startAround = async (
  cleanUp: CleanUp,
  implementation: UntypedServiceImplementation,
  changes: Partial<GatewayConfiguration> = {},
): Promise<{ readonly client: Client; readonly gateway: InProcessGateway }> => {
  const port = await startGrpcServer(cleanUp, implementation);
  const plain = testConfiguration([testUpstream(port, { httpVersion: '2' })], changes);
  const gateway = await startInProcess({
    ...plain,
    listeners: plain.listeners.map((listener) => ({ ...listener, http2: true })),
  });
  cleanUp.add(() => gateway.stop());
  return { client: grpcClient(cleanUp, gateway.address.port), gateway };
};

const open = (client: Client, name: 'clientStream' | 'bidi' | 'serverStream') => {
  const { path, requestSerialize: write, responseDeserialize: read } = callMethods[name];
  return { path, write, read, client };
};

describe('a unary call through the gateway', () => {
  const echo = { unary: (call: Unary, reply: Reply) => reply(null, call.request) };

  it('delivers its message and gets the response', async ({ cleanUp }) => {
    const { client, gateway } = await startAround(cleanUp, echo);
    const outcome = await unaryCall(client, Buffer.from('hello'), new Metadata());
    expect(outcome).toEqual({ message: Buffer.from('hello'), error: null });
    expect(gateway.accessRecords.at(-1)).toMatchObject({ status: 200 });
  });

  it('passes 1 MB in each direction', async ({ cleanUp }) => {
    const { client } = await startAround(cleanUp, echo);
    const message = Buffer.alloc(1_048_576, 'abcdefg');
    const outcome = await unaryCall(client, message, new Metadata());
    expect(outcome.error === null && outcome.message.equals(message)).toBe(true);
  });

  it('keeps text and binary metadata in both directions', async ({ cleanUp }) => {
    let seen: Metadata | null = null;
    const { client } = await startAround(cleanUp, {
      unary: (call: Unary, reply: Reply) => {
        seen = call.metadata;
        const head = new Metadata();
        head.set('x-head', 'one');
        call.sendMetadata(head);
        const end = new Metadata();
        end.set('x-end-bin', Buffer.from([0, 255, 1]));
        reply(null, call.request, end);
      },
    });
    const metadata = new Metadata();
    metadata.set('x-asked', 'what');
    metadata.set('x-asked-bin', Buffer.from([1, 0, 255]));
    const { path, requestSerialize: write, responseDeserialize: read } = callMethods.unary;
    const got = await new Promise<[Metadata, Metadata]>((resolve) => {
      let head = new Metadata();
      client
        .makeUnaryRequest(path, write, read, Buffer.from('a'), metadata, () => undefined)
        .on('metadata', (each: Metadata) => {
          head = each;
        })
        .on('status', (end) => resolve([head, end.metadata]));
    });
    expect((seen as Metadata | null)?.get('x-asked')).toEqual(['what']);
    expect((seen as Metadata | null)?.get('x-asked-bin')).toEqual([Buffer.from([1, 0, 255])]);
    expect([got[0].get('x-head'), got[1].get('x-end-bin')]).toEqual([['one'], [Buffer.from([0, 255, 1])]]);
    expect(got[0].get('x-correlation-id')).toHaveLength(1);
  });

  it.for([
    ['before a message', false],
    ['behind a head', true],
  ] as const)('that fails %s gets status and message of the server', async ([_, hasHead], { cleanUp }) => {
    const { client } = await startAround(cleanUp, {
      unary: (call: Unary, reply: Reply) => {
        if (hasHead) call.sendMetadata(new Metadata());
        reply({ code: status.NOT_FOUND, details: 'no such thing: \u00e4' });
      },
    });
    const outcome = await unaryCall(client, Buffer.from('a'), new Metadata());
    expect(outcome.error).toMatchObject({ code: status.NOT_FOUND, details: 'no such thing: \u00e4' });
  });

  it('to an unknown method gets the error of the server', async ({ cleanUp }) => {
    const { client } = await startAround(cleanUp, { bidi: (call: Duplex) => call.end() });
    const outcome = await unaryCall(client, Buffer.from('a'), new Metadata());
    expect(outcome.error).toMatchObject({ code: status.UNIMPLEMENTED });
  });

  it('forwards its deadline, and ends at the server too', async ({ cleanUp }) => {
    let deadline: unknown = null;
    let isCancelled = false;
    const { client, gateway } = await startAround(cleanUp, {
      unary: (call: Unary) => {
        deadline = call.getDeadline();
        call.on('cancelled', () => {
          isCancelled = true;
        });
      },
    });
    const outcome = await unaryCall(client, Buffer.from('a'), new Metadata(), { deadline: Date.now() + 150 });
    expect(outcome.error).toMatchObject({ code: status.DEADLINE_EXCEEDED });
    expect(deadline).not.toBe(Number.POSITIVE_INFINITY);
    await eventually(() => isCancelled && gateway.accessRecords.length === 1);
  });

  it('above the size limit is refused before the server', async ({ cleanUp }) => {
    const seen: number[] = [];
    const unary = (call: Unary, reply: Reply): void => {
      seen.push(call.request.length);
      reply(null, call.request);
    };
    const { client, gateway } = await startAround(
      cleanUp,
      { unary },
      { limits: { ...testLimits, maxBodySizeBytes: 1_000 } },
    );
    const outcome = await unaryCall(client, Buffer.alloc(5_000), new Metadata());
    expect(outcome.error).toMatchObject({ code: status.RESOURCE_EXHAUSTED, details: expect.stringContaining('body') });
    await eventually(() => gateway.accessRecords.length === 1);
    expect(gateway.accessRecords[0]).toMatchObject({ status: 200, grpcStatus: 8, errorType: 'body_too_large' });
    expect((await unaryCall(client, Buffer.alloc(500), new Metadata())).error).toBeNull();
    expect(seen).toEqual([500]);
  });

  it('can be one of 200 concurrent calls', async ({ cleanUp }) => {
    const { client } = await startAround(cleanUp, echo);
    const texts = Array.from({ length: 200 }, (_, index) => `${index}`.repeat(500));
    const outcomes = await Promise.all(texts.map((text) => unaryCall(client, Buffer.from(text), new Metadata())));
    expect(outcomes.map((outcome) => (outcome.error === null ? outcome.message.toString() : outcome.error))).toEqual(
      texts,
    );
  });
});

describe('a call with streams through the gateway', () => {
  it('gets the head of a server stream before messages, and each message when sent', async ({ cleanUp }) => {
    let send: (text: string | null) => void = () => undefined;
    const { client } = await startAround(cleanUp, {
      serverStream: (call: Writer) => {
        call.sendMetadata(new Metadata());
        send = (text) => void (text === null ? call.end() : call.write(Buffer.from(text)));
      },
    });
    const { path, write, read } = open(client, 'serverStream');
    const call = client.makeServerStreamRequest(path, write, read, Buffer.from('a'), new Metadata());
    const got: string[] = [];
    call.on('metadata', () => void got.push('head'));
    call.on('data', (message: Buffer) => void got.push(message.toString()));
    call.on('end', () => void got.push('end'));
    await eventually(() => got.length === 1);
    for (const [index, text] of ['one', 'two', 'three'].entries()) {
      send(text);
      await eventually(() => got.length === index + 2);
    }
    send(null);
    await eventually(() => got.length === 5);
    expect(got).toEqual(['head', 'one', 'two', 'three', 'end']);
  });

  it('streams client messages, and gets one response', async ({ cleanUp }) => {
    const seen: string[] = [];
    const { client } = await startAround(cleanUp, {
      clientStream: (call: Reader, reply: Reply) => {
        call.on('data', (message: Buffer) => void seen.push(message.toString()));
        call.on('end', () => reply(null, Buffer.from(seen.join('+'))));
      },
    });
    const { path, write, read } = open(client, 'clientStream');
    let answer = '';
    const call = client.makeClientStreamRequest(path, write, read, new Metadata(), (error, reply) => {
      answer = error === null ? `${reply?.toString()}` : `${error}`;
    });
    for (const [index, text] of ['one', 'two', 'three'].entries()) {
      call.write(Buffer.from(text));
      await eventually(() => seen.length === index + 1);
    }
    call.end();
    await eventually(() => answer !== '');
    expect(answer).toBe('one+two+three');
  });

  it('streams in both directions at once', async ({ cleanUp }) => {
    const { client } = await startAround(cleanUp, {
      bidi: (call: Duplex) => {
        // Before a message has come.
        call.sendMetadata(new Metadata());
        call.on('data', (message: Buffer) => call.write(message));
        call.on('end', () => call.end());
      },
    });
    const { path, write, read } = open(client, 'bidi');
    const call = client.makeBidiStreamRequest(path, write, read, new Metadata());
    const got: string[] = [];
    let end: number | null = null;
    call.on('metadata', () => void got.push('head'));
    call.on('data', (message: Buffer) => void got.push(message.toString()));
    call.on('status', ({ code }) => {
      end = code;
    });
    await eventually(() => got.length === 1);
    for (const [index, text] of ['ping', 'pong', 'x'.repeat(100_000)].entries()) {
      call.write(Buffer.from(text));
      await eventually(() => got.length === index + 2);
      expect(got[index + 1]).toBe(text);
    }
    call.end();
    await eventually(() => end !== null);
    expect(end).toBe(status.OK);
  });

  it('ends when the server ends it early', async ({ cleanUp }) => {
    const { client } = await startAround(cleanUp, {
      bidi: (call: Duplex) => {
        call.on('data', () => call.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'enough' }));
      },
    });
    const { path, write, read } = open(client, 'bidi');
    const call = client.makeBidiStreamRequest(path, write, read, new Metadata());
    const ended = new Promise<number>((resolve) => {
      call.on('status', ({ code }) => resolve(code));
      call.on('error', () => undefined);
    });
    call.write(Buffer.from('one'));
    expect(await ended).toBe(status.RESOURCE_EXHAUSTED);
  });

  it('is cancelled at the server by its client', async ({ cleanUp }) => {
    let isCancelled = false;
    let messages = 0;
    const { client, gateway } = await startAround(cleanUp, {
      bidi: (call: Duplex) => {
        call.on('data', () => {
          messages += 1;
        });
        call.on('cancelled', () => {
          isCancelled = true;
        });
      },
    });
    const { path, write, read } = open(client, 'bidi');
    const call = client.makeBidiStreamRequest(path, write, read, new Metadata());
    call.on('error', () => undefined);
    call.write(Buffer.from('one'));
    await eventually(() => messages === 1);
    call.cancel();
    await expect.poll(() => isCancelled).toBe(true);
    await expect.poll(() => gateway.accessRecords).toHaveLength(1);
  });
});

it('a call to an unreachable server is UNAVAILABLE', async ({ cleanUp }) => {
  const { client } = await startAround(cleanUp, { bidi: (call: Duplex) => call.end() });
  void client;
  const plain = testConfiguration([testUpstream(1, { httpVersion: '2' })]);
  const gateway = await startInProcess({
    ...plain,
    listeners: plain.listeners.map((listener) => ({ ...listener, http2: true })),
  });
  cleanUp.add(() => gateway.stop());
  const outcome = await unaryCall(grpcClient(cleanUp, gateway.address.port), Buffer.from('a'), new Metadata());
  expect(outcome.error).toMatchObject({ code: status.UNAVAILABLE });
});

import { Metadata, type ServerDuplexStream, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { afterEach, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.js';
import { eventually } from '../support/eventually.js';
import { startStack } from '../support/gateway-stack.js';
import { callMethods, grpcClient, startGrpcServer, unaryCall } from '../support/grpc-calls.js';

const cleanUp = new CleanUp();
afterEach(() => cleanUp.run());

type Unary = ServerUnaryCall<Buffer, Buffer>;
type Duplex = ServerDuplexStream<Buffer, Buffer>;

/** The programs as they are shipped, with a gRPC server behind them; `agent` judges its calls. */
const start = async (agent: boolean) => {
  const port = await startGrpcServer(cleanUp, {
    unary: (call: Unary, reply: sendUnaryData<Buffer>) => {
      if (call.request.length === 0) reply({ code: status.NOT_FOUND, details: 'nothing' });
      else reply(null, Buffer.from(`${call.request} for ${call.metadata.get('x-user-id').join()}`));
    },
    bidi: (call: Duplex) => {
      call.on('data', (message: Buffer) => call.write(message));
      call.on('end', () => call.end());
    },
  });
  const stack = await startStack(cleanUp, {
    listeners: { grpc: 'http2 #true' },
    routes: `route "grpc" { priority 100; matches { path-prefix "/test.Calls" }; upstream "grpc"; ${agent ? 'agents "auth"' : ''} }`,
    blocks: `upstreams { upstream "grpc" { http-version "2"; target "127.0.0.1:${port}" } }`,
    ...(agent && { transport: 'socket' as const, agentConfig: 'api-keys "k-1:alice"' }),
  });
  return { stack, client: grpcClient(cleanUp, stack.portOf('grpc')) };
};

it('calls of every kind come through the programs, over one connection to the server', async () => {
  const { client, stack } = await start(false);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => unaryCall(client, Buffer.from(`call ${index}`), new Metadata())),
  );
  expect(answers.map((each) => each.error ?? each.message.toString())).toEqual(
    Array.from({ length: 50 }, (_, index) => `call ${index} for `),
  );
  const failed = await unaryCall(client, Buffer.alloc(0), new Metadata());
  expect(failed.error).toMatchObject({ code: status.NOT_FOUND, details: 'nothing' });
  const { path, requestSerialize, responseDeserialize } = callMethods.bidi;
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new Metadata());
  const got: string[] = [];
  let end: number | null = null;
  call.on('data', (message: Buffer) => void got.push(message.toString()));
  call.on('status', ({ code }) => {
    end = code;
  });
  for (const [index, text] of ['one', 'two'].entries()) {
    call.write(Buffer.from(text));
    await eventually(() => got.length === index + 1);
  }
  call.end();
  await eventually(() => end !== null);
  expect([got, end]).toEqual([['one', 'two'], status.OK]);
  expect(await stack.metric('gateway_connection_pool_size', 'upstream="grpc"')).toBe(1);
});

it('an agent judges calls, and who makes them is told to the server', async () => {
  const { client } = await start(true);
  const refused = await unaryCall(client, Buffer.from('call'), new Metadata());
  expect(refused.error).toMatchObject({ code: status.UNAUTHENTICATED });
  const metadata = new Metadata();
  metadata.set('x-api-key', 'k-1');
  const allowed = await unaryCall(client, Buffer.from('call'), metadata);
  expect(allowed.error === null && allowed.message.toString()).toBe('call for alice');
});

import {
  type Client,
  Metadata,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { freePort } from '../../support/shared/free-port.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { callMethods, grpcClient, startGrpcServer, unaryCall } from '../../support/shared/grpc-calls.js';

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

describe('an error of the gateway reaches a gRPC client as status and message', () => {
  const cleanUpAll = new CleanUp();
  afterAll(() => cleanUpAll.run());
  let stack: GatewayStack;
  let client: Client;

  beforeAll(async () => {
    // It takes calls and never answers.
    const silentPort = await startGrpcServer(cleanUpAll, { unary: () => undefined });
    const downPort = await freePort();
    stack = await startStack(cleanUpAll, {
      transport: 'embedded',
      agentConfig: `api-keys "k-1:alice" "k-2:bob"; authz { enabled #true; policy-inline "permit (principal == User::\\"alice\\", action, resource);" }`,
      listeners: { grpc: 'http2 #true' },
      routes: `
        route "judged" { priority 100; matches { path "/judged/Unary" }; upstream "silent"; agents "auth" }
        route "limited" { priority 100; matches { path "/limited/Unary" }; upstream "silent"; policies { rate-limit { requests-per-second 1; burst 1 }; timeout-secs 1 } }
        route "small" { priority 100; matches { path "/small/Unary" }; upstream "silent"; policies { max-body-size "1KB" } }
        route "down" { priority 100; matches { path "/down/Unary" }; upstream "down" }
        route "slow" { priority 100; matches { path-prefix "/test.Calls" }; upstream "silent"; policies { timeout-secs 1 } }`,
      blocks: `upstreams {
        upstream "silent" { http-version "2"; target "127.0.0.1:${silentPort}" }
        upstream "down" { http-version "2"; target "127.0.0.1:${downPort}" }
      }`,
    });
    client = grpcClient(cleanUpAll, stack.portOf('grpc'));
  });

  const errorOf = async (path: string, key: string | null = null, size = 4): Promise<ServiceError | null> => {
    const metadata = new Metadata();
    if (key !== null) metadata.set('x-api-key', key);
    const { requestSerialize, responseDeserialize } = callMethods.unary;
    return new Promise((resolve) => {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, Buffer.alloc(size), metadata, (error) =>
        resolve(error),
      );
    });
  };

  it.each<[string, string, string | null, number, number, RegExp]>([
    ['a credential that is missing', '/judged/Unary', null, 4, status.UNAUTHENTICATED, /credential/],
    ['a policy that denies', '/judged/Unary', 'k-2', 4, status.PERMISSION_DENIED, /not allowed/],
    ['a body that is too large', '/small/Unary', null, 5_000, status.RESOURCE_EXHAUSTED, /body/],
    ['an upstream that is down', '/down/Unary', null, 4, status.UNAVAILABLE, /upstream/i],
    ['an upstream that does not answer in time', '/test.Calls/Unary', null, 4, status.DEADLINE_EXCEEDED, /time/],
  ])('for %s', async (_, path, key, size, code, details) => {
    const error = await errorOf(path, key, size);
    expect([error?.code, error?.details]).toEqual([code, expect.stringMatching(details)]);
  });

  it('for a rate that is exceeded, with Retry-After', async () => {
    const calls = await Promise.all([errorOf('/limited/Unary'), errorOf('/limited/Unary'), errorOf('/limited/Unary')]);
    const refused = calls.find((error) => error?.code === status.UNAVAILABLE);
    expect(refused?.details).toMatch(/./);
    expect(refused?.metadata.get('retry-after')).toHaveLength(1);
    expect(refused?.metadata.get('x-correlation-id')).toHaveLength(1);
  });

  it('which the log tells with the status that was sent, and the metrics with that of the problem', async () => {
    await errorOf('/judged/Unary');
    await eventually(() => /"status":200[^\n]*"grpc_status":16,"code":"blocked_by_agent"/.test(stack.gateway.output()));
    expect(await stack.metric('gateway_requests_total', 'status="401"', 'route="judged"')).toBeGreaterThan(0);
    expect(await stack.metric('gateway_requests_total', 'status="413"', 'route="small"')).toBeGreaterThan(0);
  });

  it('but not a client of gRPC-Web, which reads HTTP statuses', async () => {
    const headers = { 'content-type': 'application/grpc-web+proto' };
    const answer = await stack.ask({ path: '/judged/Unary', method: 'POST', headers, body: 'x' });
    expect([answer.status, answer.headers['content-type']]).toEqual([401, 'application/problem+json']);
  });
});

import {
  type Client,
  Metadata,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { describe, expect } from 'vitest';
import { eventually } from '../../support/shared/eventually.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { callMethods, grpcClient, startGrpcServer, unaryCall } from '../../support/shared/grpc-calls.js';

type Unary = ServerUnaryCall<Buffer, Buffer>;
type Duplex = ServerDuplexStream<Buffer, Buffer>;

/** The built programs with a gRPC server as upstream; the agent decides calls with the metadata `x-judged`. */
const it = baseIt.extend('grpc', { scope: 'file' }, async ({ fileCleanUp }) => {
  const port = await startGrpcServer(fileCleanUp, {
    unary: (call: Unary, reply: sendUnaryData<Buffer>) => {
      if (call.request.length === 0) reply({ code: status.NOT_FOUND, details: 'nothing' });
      else reply(null, Buffer.from(`${call.request} for ${call.metadata.get('x-user-id').join()}`));
    },
    bidi: (call: Duplex) => {
      call.on('data', (message: Buffer) => call.write(message));
      call.on('end', () => call.end());
    },
  });
  const stack = await startStack(fileCleanUp, {
    transport: 'socket',
    agentConfig: 'api-keys "k-1:alice"',
    listeners: { grpc: 'http2 #true' },
    routes: `
      route "grpc" { priority 100; matches { path-prefix "/test.Calls" }; upstream "grpc"; agents #null }
      route "judged" { priority 200; matches { path-prefix "/test.Calls"; header "x-judged" "yes" }; upstream "grpc"; agents "auth" }`,
    blocks: `upstreams { upstream "grpc" { http-version "2"; target "127.0.0.1:${port}" } }`,
  });
  return { stack, client: grpcClient(fileCleanUp, stack.portOf('grpc')) };
});

it('passes unary and streaming calls over one connection to the server', async ({ grpc: { client, stack } }) => {
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

it('lets an agent decide calls, and tells the server the identity of the caller', async ({ grpc: { client } }) => {
  const metadata = new Metadata();
  metadata.set('x-judged', 'yes');
  const refused = await unaryCall(client, Buffer.from('call'), metadata);
  expect(refused.error).toMatchObject({ code: status.UNAUTHENTICATED });
  metadata.set('x-api-key', 'k-1');
  const allowed = await unaryCall(client, Buffer.from('call'), metadata);
  expect(allowed.error === null && allowed.message.toString()).toBe('call for alice');
});

describe('an error of the gateway reaches a gRPC client as status and message', () => {
  let stack: GatewayStack;
  let client: Client;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    // It takes calls and never answers.
    const silentPort = await startGrpcServer(cleanUp, { unary: () => undefined });
    const downPort = await freePort();
    stack = await startStack(cleanUp, {
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
    client = grpcClient(cleanUp, stack.portOf('grpc'));
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

  it('for an exceeded rate limit, with Retry-After', async () => {
    const calls = await Promise.all([errorOf('/limited/Unary'), errorOf('/limited/Unary'), errorOf('/limited/Unary')]);
    const refused = calls.find((error) => error?.code === status.UNAVAILABLE);
    expect(refused?.details).toMatch(/./);
    expect(refused?.metadata.get('retry-after')).toHaveLength(1);
    expect(refused?.metadata.get('x-correlation-id')).toHaveLength(1);
  });

  it('with the sent status in the log and the status of the problem in metrics', async () => {
    await errorOf('/judged/Unary');
    await eventually(() => /"status":200[^\n]*"grpc_status":16,"code":"blocked_by_agent"/.test(stack.gateway.output()));
    expect(await stack.metric('gateway_requests_total', 'status="401"', 'route="judged"')).toBeGreaterThan(0);
    expect(await stack.metric('gateway_requests_total', 'status="413"', 'route="small"')).toBeGreaterThan(0);
  });

  it('except a gRPC-Web client, which gets the HTTP status', async () => {
    const headers = { 'content-type': 'application/grpc-web+proto' };
    const answer = await stack.ask({ path: '/judged/Unary', method: 'POST', headers, body: 'x' });
    expect([answer.status, answer.headers['content-type']]).toEqual([401, 'application/problem+json']);
  });
});

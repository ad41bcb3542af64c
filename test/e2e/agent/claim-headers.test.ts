import { SignJWT } from 'jose';
import { beforeEach, describe, expect } from 'vitest';
import { type ReceivedRequest, valuesOf } from '../../support/gateway/recording-upstream.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { runAgent } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const secret = 'a-secret-of-more-than-thirty-two-octets';
const sockets = temporaryFolder();
let stack: GatewayStack;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  cleanUp.add(() => sockets.remove());
  const grpcAddress = `127.0.0.1:${await freePort()}`;
  const agents = [
    runAgent(['--socket', sockets.file('agent.sock')]),
    runAgent(['--socket', sockets.file('other.sock'), '--grpc-address', grpcAddress]),
  ];
  cleanUp.add(() => Promise.all(agents.map((agent) => agent.stop())));
  const block = (name: string, transport: string): string => `
    agents { agent "${name}" { ${transport}; config {
      jwt-secret "${secret}"
      forward-claims "sub" "address.city"
      claim-mapping { email "X-${name}-Email"; "realm_access.roles" "X-${name}-Roles" }
    } } }
    routes { route "${name}" { matches { path-prefix "/${name}" }; upstream "back"; agents "${name}" } }`;
  stack = await startStack(cleanUp, {
    blocks: [
      block('embedded', 'transport "embedded"'),
      block('socket', `socket "${sockets.file('agent.sock')}"`),
      block('grpc', `transport { grpc "${grpcAddress}" }`),
    ].join('\n'),
  });
  await stack.agentsPresent();
});
beforeEach(() => void stack.upstream.received.splice(0));

const names = ['embedded', 'socket', 'grpc'];
const forged = Object.fromEntries(
  names.flatMap((name) => [
    [`X-${name}-Email`, 'forged'],
    [`x_${name}_roles`, 'forged'],
    [`X.${name}.Roles`, 'forged'],
  ]),
);

const received = async (path: string, headers: Record<string, string>): Promise<ReceivedRequest> => {
  expect((await stack.ask({ path, headers: { ...forged, ...headers } })).status).toBe(200);
  const [request] = stack.upstream.received;
  if (request === undefined) throw new Error('nothing has reached the upstream');
  expect(request.rawHeaders).not.toContain('forged');
  return request;
};

describe.each(names)('an agent over %s with forward-claims and claim-mapping', (name) => {
  it('forwards the named claims, maps others, and keeps the rest to itself', async () => {
    const token = await new SignJWT({
      sub: 'ann',
      email: 'ann@example.com',
      secret: 'hidden',
      address: { city: 'Bern', street: 'Gasse 1' },
      realm_access: { roles: ['editor', 'a,b'] },
    })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('5m')
      .sign(Buffer.from(secret));
    const request = await received(`/${name}`, { Authorization: `Bearer ${token}` });
    expect(valuesOf(request, 'x-user-id')).toEqual(['ann']);
    expect(valuesOf(request, `x-${name}-email`)).toEqual(['ann@example.com']);
    expect(valuesOf(request, `x-${name}-roles`)).toEqual(['editor,a%2Cb']);
    const claims = request.rawHeaders.filter((text) => /^x-auth-claim/i.test(text)).map((text) => text.toLowerCase());
    expect(claims.sort()).toEqual(['x-auth-claim-address-city', 'x-auth-claim-sub']);
    expect(valuesOf(request, 'x-auth-claims-omitted')).toEqual([]);
  });
});

it('removes every mapped header from clients on a route without agents', async () => {
  const request = await received('/open', {});
  expect(valuesOf(request, 'x-embedded-email')).toEqual([]);
});

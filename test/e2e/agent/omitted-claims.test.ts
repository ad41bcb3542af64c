import { SignJWT } from 'jose';
import { beforeEach, describe, expect } from 'vitest';
import { type ReceivedRequest, valuesOf } from '../../support/gateway/recording-upstream.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { runAgent } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const secret = 'a-secret-of-more-than-thirty-two-octets';
const groups = Array.from({ length: 150 }, (_, at) => `/company/department-${at}`);

const tokenOf = (claims: object): Promise<string> =>
  new SignJWT({ sub: 'ann', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('5m')
    .sign(Buffer.from(secret));
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
  const block = (name: string, transport: string, more = ''): string => `
    agents { agent "${name}" { ${transport}; config { jwt-secret "${secret}"; ${more} } } }
    routes { route "${name}" { matches { path-prefix "/${name}" }; upstream "back"; agents "${name}" } }`;
  stack = await startStack(cleanUp, {
    blocks: [
      'limits { max-header-value-bytes 16384; max-header-size-bytes 65536; max-agent-response-bytes 40960 }',
      block('embedded', 'transport "embedded"'),
      block('socket', `socket "${sockets.file('agent.sock')}"`),
      block('grpc', `transport { grpc "${grpcAddress}" }`),
      block('roomy', 'transport "embedded"', 'max-claim-bytes 8192'),
    ].join('\n'),
  });
  await stack.agentsPresent();
});
beforeEach(() => void stack.upstream.received.splice(0));

const received = async (path: string, claims: object): Promise<ReceivedRequest> => {
  const headers = {
    Authorization: `Bearer ${await tokenOf(claims)}`,
    'X-Auth-Claims-Omitted': 'forged',
    x_auth_claims_omitted: 'forged',
  };
  expect((await stack.ask({ path, headers })).status).toBe(200);
  const [request] = stack.upstream.received;
  if (request === undefined) throw new Error('nothing has reached the upstream');
  expect(request.rawHeaders).not.toContain('forged');
  return request;
};

describe.each(['embedded', 'socket', 'grpc'])('a token with 150 groups, agent over %s', (transport) => {
  it('tells the upstream that the groups are omitted', async () => {
    const request = await received(`/${transport}`, { groups, email: 'ann@example.com' });
    expect(valuesOf(request, 'x-user-id')).toEqual(['ann']);
    expect(valuesOf(request, 'x-auth-claim-email')).toEqual(['ann@example.com']);
    expect(valuesOf(request, 'x-auth-claim-groups')).toEqual([]);
    expect(valuesOf(request, 'x-auth-claims-omitted')).toEqual(['groups']);
  });

  it('differs from a token without groups, even with forged headers', async () => {
    const request = await received(`/${transport}`, { email: 'ann@example.com' });
    expect(valuesOf(request, 'x-auth-claims-omitted')).toEqual([]);
  });
});

it('forwards all 150 groups if max-claim-bytes allows it', async () => {
  const request = await received('/roomy', { groups });
  expect(valuesOf(request, 'x-auth-claim-groups')).toEqual([groups.join(',')]);
  expect(valuesOf(request, 'x-auth-claims-omitted')).toEqual([]);
});

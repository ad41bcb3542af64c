import type { Identity } from '../../src/domain/agent/identity/identity.js';
import type { GatewayPrincipal } from '../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import { built } from '../built.js';
import type { BenchRequest, Decide } from './policies.js';

const identityOf = ({ principal, roles }: BenchRequest): Identity => ({
  method: 'jwt',
  userId: principal,
  claims: { sub: principal, roles },
  certificate: null,
});

/** Our engine, with requests as the agent makes them of what the gateway tells. */
export const ownEngine = async (policies: string): Promise<{ readonly anew: Decide; readonly remembered: Decide }> => {
  const { parsePolicies } = await built<typeof import('../../src/domain/agent/policy/parse/parse-policies.js')>(
    'domain/agent/policy/parse/parse-policies.js',
  );
  const { compilePolicies } = await built<typeof import('../../src/domain/agent/policy/evaluate/compile-policies.js')>(
    'domain/agent/policy/evaluate/compile-policies.js',
  );
  const { decide } = await built<typeof import('../../src/domain/agent/policy/evaluate/decide.js')>(
    'domain/agent/policy/evaluate/decide.js',
  );
  const { gatewayPrincipal } = await built<
    typeof import('../../src/domain/agent/policy/gateway-model/gateway-principal.js')
  >('domain/agent/policy/gateway-model/gateway-principal.js');
  const { gatewayRequest } = await built<
    typeof import('../../src/domain/agent/policy/gateway-model/gateway-request.js')
  >('domain/agent/policy/gateway-model/gateway-request.js');
  const parsed = parsePolicies(policies, 'extended');
  if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join('; '));
  const compiled = compilePolicies(parsed.value, 'extended');
  const principalOf = (request: BenchRequest): GatewayPrincipal => {
    const principal = gatewayPrincipal(identityOf(request), { principalClaim: 'sub', rolesClaim: 'roles' });
    if (!principal.ok) throw new Error(principal.error);
    return principal.value;
  };
  const decideFor = (principal: GatewayPrincipal, { method, path }: BenchRequest): 'allow' | 'deny' =>
    decide(
      compiled,
      gatewayRequest(principal, {
        method,
        uri: path,
        host: 'api.bench.example',
        clientIp: '192.0.2.7',
        correlationId: 'bench',
      }),
    ).decision;
  const known = new Map<BenchRequest, GatewayPrincipal>();
  return {
    anew: (request) => decideFor(principalOf(request), request),
    remembered: (request) => {
      let principal = known.get(request);
      if (principal === undefined) {
        principal = principalOf(request);
        known.set(request, principal);
      }
      return decideFor(principal, request);
    },
  };
};

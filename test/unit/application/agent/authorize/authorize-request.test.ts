import { describe, expect, it } from 'vitest';
import { AuthorizeRequest } from '../../../../../src/application/agent/authorize/authorize-request.js';
import type { Identity } from '../../../../../src/domain/agent/identity/identity.js';
import type { AuthorizationRequest } from '../../../../../src/domain/agent/policy/evaluate/authorization-request.js';
import { CompiledPolicies, compilePolicies } from '../../../../../src/domain/agent/policy/evaluate/compile-policies.js';
import { parsePolicies } from '../../../../../src/domain/agent/policy/parse/parse-policies.js';
import { requestEvent } from '../../../../support/agent/test-agent.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const compiled = (text: string): CompiledPolicies => {
  const parsed = parsePolicies(text, 'extended');
  if (!parsed.ok) throw new Error(parsed.error[0]?.message);
  return compilePolicies(parsed.value, 'extended');
};

/** Policies that fail as only a mistake in the program can. */
class BrokenPolicies extends CompiledPolicies {
  override candidates(): never {
    throw new Error('broken');
  }
}

/** Policies that count how often they are asked. */
class CountedPolicies extends CompiledPolicies {
  asked = 0;
  override candidates(request: AuthorizationRequest) {
    this.asked += 1;
    return super.candidates(request);
  }
}

const made = (policies: CompiledPolicies, shadow: CompiledPolicies | null = null) => {
  const [logger, clock] = [new RecordingLogger(), new ManualClock()];
  const authorization = new AuthorizeRequest({
    policies,
    policyCount: 1,
    shadow,
    rules: { defaultDecision: 'deny', onError: 'deny' },
    principal: { principalClaim: 'sub', rolesClaim: 'roles' },
    logger,
    clock,
  });
  return { authorization, logger, clock };
};

const identity = (claims: Identity['claims'] = null): Identity => ({
  method: claims === null ? 'api_key' : 'jwt',
  userId: 'tom',
  claims,
  certificate: null,
});
const event = requestEvent(['host', 'api.example']);
const everything = 'permit(principal, action, resource);';

describe('AuthorizeRequest', () => {
  it('evaluates the policies for each request, even an identical one', () => {
    const parsed = parsePolicies(everything, 'extended');
    const policies = new CountedPolicies(parsed.ok ? parsed.value : [], 'extended');
    const { authorization } = made(policies);
    const who = identity();
    for (let count = 1; count <= 3; count += 1) {
      expect(authorization.authorize(event, who).decision).toBe('allow');
      expect(policies.asked).toBe(count);
    }
  });

  it('treats two identities of one user separately', () => {
    const { authorization } = made(compiled('permit(principal in Role::"editor", action, resource);'));
    const [editor, viewer] = [identity({ sub: 'tom', roles: ['editor'] }), identity({ sub: 'tom', roles: ['viewer'] })];
    for (let round = 0; round < 2; round += 1) {
      expect(authorization.authorize(event, editor).decision).toBe('allow');
      expect(authorization.authorize(event, viewer).decision).toBe('deny');
      expect(authorization.authorize(event, null).decision).toBe('deny');
    }
  });

  it('throws if the policies cannot be evaluated, so the caller refuses the request', () => {
    const { authorization } = made(new BrokenPolicies([], 'extended'));
    expect(() => authorization.authorize(event, identity())).toThrow('broken');
  });

  it('still decides if shadow policies cannot be evaluated, and logs it at intervals', () => {
    const { authorization, logger } = made(compiled(everything), new BrokenPolicies([], 'extended'));
    for (let count = 0; count < 3; count += 1) {
      expect(authorization.authorize(event, identity())).toMatchObject({ decision: 'allow', shadow: null });
    }
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { firstHeader, type HeaderList } from '../../../../../src/domain/http/header-list.js';
import { authorizedAgent } from '../../../../support/agent/authorized-agent.js';
import { upstreamHeaders } from '../../../../support/agent/test-agent.js';
import { signInput, tokenPart } from '../../../../support/agent/test-tokens.js';

const secret = 'another secret that is longer than thirty-two bytes';

/** A token whose claims are this text, for no number of JavaScript has all their digits. */
const bearing = (claims: string): HeaderList => {
  const payload = Buffer.from(`{"sub":"ann","exp":1800000300,${claims}}`).toString('base64url');
  const input = `${tokenPart({ alg: 'HS256', typ: 'JWT' })}.${payload}`;
  return ['authorization', `Bearer ${input}.${signInput('HS256', secret, input)}`];
};

const agentOf = (policies: string) => authorizedAgent(policies, { 'jwt-secret': secret });

describe('a token number that JavaScript would round', () => {
  const onlyOne = `permit(principal, action, resource)
    when { context.claims has user_id && context.claims.user_id == 175928847299117063 };`;

  it('keeps all digits in decisions and headers, also from the cache', async () => {
    const { answer } = await agentOf(onlyOne);
    const headers = bearing('"user_id":175928847299117063,"ids":[175928847299117063,18446744073709551616]');
    for (const _ of ['verified', 'remembered']) {
      const allowed = await answer({ headers });
      expect(allowed.decision.kind).toBe('allow');
      const told = upstreamHeaders(headers, allowed);
      expect(firstHeader(told, 'x-auth-claim-user_id')).toBe('175928847299117063');
      expect(firstHeader(told, 'x-auth-claim-ids')).toBe('175928847299117063,18446744073709551616');
    }
  });

  it('does not equal a number that rounds to the same value', async () => {
    const { outcome } = await agentOf(onlyOne);
    for (const other of ['175928847299117062', '175928847299117064', '175928847299117063.1', '"175928847299117063"']) {
      if (!other.startsWith('"')) expect(Number(other)).toBe(Number('175928847299117063'));
      expect(await outcome({ headers: bearing(`"user_id":${other}`) })).toBe('403 default_deny');
    }
  });

  it('cannot avoid a ban by another spelling', async () => {
    const { outcome } = await agentOf(`permit(principal, action, resource);
      forbid(principal, action, resource) when { context.claims.user_id == 175928847299117063 };`);
    for (const spelling of ['175928847299117063', '175928847299117063.0', '1.75928847299117063e17']) {
      expect(await outcome({ headers: bearing(`"user_id":${spelling}`) })).toBe('403 denied_by_policy');
    }
    expect(await outcome({ headers: bearing('"user_id":175928847299117064') })).toBe('allow');
  });
});

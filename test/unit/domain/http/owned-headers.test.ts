import { describe, expect, it } from 'vitest';
import { alwaysOwned, isOwned, ownedHeaders, stripOwned } from '../../../../src/domain/http/owned-headers.js';

const owned = ownedHeaders([...alwaysOwned, 'X-User-Email', 'Corp-*']);

describe('stripOwned', () => {
  it.each([
    'X-User-Id',
    'x-user-id',
    'X_USER_ID',
    'X-User_Id',
    'X.User.Id',
    'X~User-Id',
    'X-Auth-Method',
    'X-Auth-Claim-Role',
    'x_auth_claim_role',
    'X-Auth-Claim-',
    'X-Client-Cert-CN',
    'X-Client-Cert-DN',
    'X-Client-Cert',
    'Client-Cert',
    'Client-Cert-Chain',
    'X-Forwarded-Client-Cert',
    'X-USER-EMAIL',
    'Corp-Anything',
    'corp_x',
  ])('removes %s', (name) => {
    expect(stripOwned(['Accept', '*/*', name, 'forged', 'Host', 'a'], owned)).toEqual(['Accept', '*/*', 'Host', 'a']);
  });

  it.each(['X-User', 'X-User-Ids', 'XUserId', 'X-Auth-Claim', 'X-Auth-Methods', 'Corp', 'Authorization', 'X-User--Id'])(
    'keeps %s',
    (name) => {
      const headers = [name, 'v'];
      expect(stripOwned(headers, owned)).toBe(headers);
    },
  );

  it('owns by a bare star nothing, rather than every header', () => {
    expect(isOwned(ownedHeaders(['*']), 'Host')).toBe(false);
  });

  it('owns names that begin with a separator in every spelling', () => {
    const odd = ownedHeaders(['-odd']);
    for (const name of ['-Odd', '_odd', '.ODD']) expect(isOwned(odd, name)).toBe(true);
  });
});

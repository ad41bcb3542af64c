import { describe, expect, it } from 'vitest';
import { logoutUrl } from '../../../../../src/domain/agent/oidc/logout-request.js';

const request = { clientId: 'portal', idToken: null, postLogoutUrl: null, state: 's' };
const endpoint = 'https://id.example/end';

describe('the URL of a logout request', () => {
  it('names the ID token, or else the client', () => {
    expect(logoutUrl(endpoint, request)).toBe(`${endpoint}?client_id=portal`);
    expect(logoutUrl(endpoint, { ...request, idToken: 'a.b.c' })).toBe(`${endpoint}?id_token_hint=a.b.c`);
  });

  it('names the page after the sign-out, with a state', () => {
    const url = new URL(logoutUrl(endpoint, { ...request, postLogoutUrl: 'https://portal.example/?a=1&b=2' }));
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe('https://portal.example/?a=1&b=2');
    expect(url.searchParams.get('state')).toBe('s');
  });

  it('keeps the query of the endpoint', () => {
    expect(logoutUrl(`${endpoint}?p=1`, request)).toBe(`${endpoint}?p=1&client_id=portal`);
    expect(logoutUrl(`${endpoint}?`, request)).toBe(`${endpoint}?client_id=portal`);
  });
});

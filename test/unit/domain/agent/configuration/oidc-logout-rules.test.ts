import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const login = {
  name: 'corp',
  issuer: 'https://id.example',
  'client-id': 'portal',
  'public-url': 'https://portal.example.com',
};

const messages = (...changes: readonly JsonObject[]): readonly string[] => {
  const logins = changes.map((change) => ({ ...login, ...change }));
  const { options, problems } = decodeAgentOptions({ sessions: { store: 'memory' }, 'oidc-login': logins });
  if (options === null) return problems.map(({ message }) => message);
  return completeAgentOptions(options, new Map())
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ message }) => message);
};

describe('the logout keys of a login', () => {
  it('take https URLs', () => {
    expect(messages({ 'end-session-url': 'https://id.example/end', 'post-logout-url': 'https://a.example/' })).toEqual(
      [],
    );
  });

  it.each([
    ['end-session-url', 'http://id.example/end'],
    ['end-session-url', '/end'],
    ['post-logout-url', 'http://portal.example.com/'],
    ['post-logout-url', '/bye'],
    ['post-logout-url', 'javascript:alert(1)'],
    ['post-logout-url', 'https://user:password@portal.example.com/'],
  ])('refuse the %s %s', (key, url) => {
    const [message, ...more] = messages({ [key]: url });
    expect(more).toEqual([]);
    expect(message).toContain(`login "corp": ${key} `);
  });

  it('refuse a page that would redirect without end', () => {
    const fault = (url: string) => messages({ 'post-logout-url': url });
    expect(fault('https://portal.example.com/oidc/logout')).toEqual([
      'login "corp": post-logout-url is the logout-path of this login',
    ]);
    expect(fault('https://PORTAL.example.com:443/oidc/login?return_to=/')).toEqual([
      'login "corp": post-logout-url is the login-path of this login',
    ]);
    expect(fault('https://other.example.com/oidc/logout')).toEqual([]);
  });
});

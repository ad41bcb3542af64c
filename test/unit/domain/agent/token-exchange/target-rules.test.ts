import { describe, expect, it } from 'vitest';
import { allowsTargets, audiencesOf } from '../../../../../src/domain/agent/token-exchange/decide-exchange.js';
import { exchangeRequest, openPolicy, ownIssuer } from '../../../../support/agent/asked-exchange.js';

const resource = 'https://b.example/api';

describe('audiencesOf', () => {
  it('lists audiences, then resources, each once', () => {
    const request = exchangeRequest({ audiences: ['b', resource, 'a'], resources: ['https://a.example/', resource] });
    expect(audiencesOf(request, openPolicy({ defaultAudience: 'x' }))).toEqual([
      'b',
      resource,
      'a',
      'https://a.example/',
    ]);
  });

  it('returns the default audience if none is named, otherwise the issuer', () => {
    expect(audiencesOf(exchangeRequest(), openPolicy({ defaultAudience: 'x' }))).toEqual(['x']);
    expect(audiencesOf(exchangeRequest(), openPolicy())).toEqual([ownIssuer]);
  });
});

describe('allowsTargets', () => {
  const policy = openPolicy({ allowedAudiences: new Set(['a', resource]), defaultAudience: 'x' });

  it('allows what is in the list', () => {
    expect(allowsTargets(exchangeRequest({ audiences: ['a'], resources: [resource] }), policy)).toBe(true);
  });

  it.each([
    { audiences: ['a', 'b'] },
    { audiences: ['a'], resources: ['https://b.example/api/'] },
    { resources: ['https://b.example/API'] },
    { audiences: ['x'] },
    { audiences: [ownIssuer] },
  ])('refuses all targets if one is not in the list: %o', (targets) => {
    expect(allowsTargets(exchangeRequest(targets), policy)).toBe(false);
  });

  it('allows the default that was not requested', () => {
    expect(allowsTargets(exchangeRequest(), openPolicy({ allowedAudiences: new Set<string>() }))).toBe(true);
  });

  it('allows any target without a list', () => {
    expect(allowsTargets(exchangeRequest({ audiences: ['b'] }), openPolicy())).toBe(true);
  });
});

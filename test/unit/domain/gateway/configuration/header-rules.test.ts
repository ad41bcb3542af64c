import { describe, expect, it } from 'vitest';
import type { HeaderRules } from '../../../../../src/domain/gateway/route-transforms/header-rules.js';
import { configurationText } from '../../../../support/shared/configuration-text.js';
import {
  decodedText,
  expectRefusedConfiguration,
  soundConfiguration,
} from '../../../../support/shared/decoded-configuration.js';

const text = (policies: string, more = '', route = 'upstream "echo"'): string =>
  configurationText({
    agents: 'agents { agent "auth" { transport "embedded"; config { api-keys "key:alice"; user-id-header "X-Who" } } }',
    routes: `routes { route "r" { matches { path-prefix "/" }; agents #null; ${route}; policies { ${policies} } } }`,
    more,
  });

const shown = (rules: HeaderRules | null | undefined) =>
  rules && {
    remove: rules.remove,
    set: rules.set.map(({ name, value }) => [name, ...value.parts]),
    add: rules.add.map(({ name, value }) => [name, ...value.parts]),
  };
const requestRules = (policies: string, more = '') =>
  shown(soundConfiguration(text(policies, more)).routes[0]?.policies.requestHeaders);

describe('header rules', () => {
  it('read names, values and placeholders', () => {
    expect(
      requestRules(
        'request-headers { set { "X-Real-IP" "{client_ip}"; "X-Text" "a{{b}" }; add { Via "1.1 portcullis" "2 b"; Via "c" }; remove "X-Debug" "X-Other"; remove "X-More" }',
      ),
    ).toEqual({
      remove: ['X-Debug', 'X-Other', 'X-More'],
      set: [
        ['X-Real-IP', { placeholder: 'client_ip' }],
        ['X-Text', 'a{b}'],
      ],
      add: [
        ['Via', '1.1 portcullis'],
        ['Via', '2 b'],
        ['Via', 'c'],
      ],
    });
  });

  it('write text beyond ASCII as UTF-8', () => {
    expect(requestRules('request-headers { set { "X-Name" "é" } }')?.set).toEqual([['X-Name', 'Ã©']]);
  });

  it.each(['', 'request-headers #null', 'request-headers { }', 'request-headers { enabled #false; remove "X-A" }'])(
    'are none with %s',
    (policies) => {
      expect(requestRules(policies)).toBeNull();
    },
  );

  it.each([
    ['X-User-Id', 'which is an identity or certificate header'],
    ['x_user_id', 'which is an identity or certificate header'],
    ['X-Auth-Claim-Email', 'which is an identity or certificate header'],
    ['Client-Cert', 'which is an identity or certificate header'],
    ['X-Who', 'which is an identity header of agent "auth"'],
    ['x_who', 'which is an identity header of agent "auth"'],
    ['Host', 'which names the server that a request is for'],
    ['Connection', 'which belongs to one connection'],
    ['keep-alive', 'which belongs to one connection'],
    ['TE', 'which belongs to one connection'],
    ['Upgrade', 'which belongs to one connection'],
    ['Proxy-Authorization', 'which belongs to one connection'],
    ['Content_Length', 'which belongs to message framing'],
    ['Transfer-Encoding', 'which belongs to message framing'],
    ['X-Forwarded-For', 'which tells upstreams who the client is'],
    ['X_Forwarded_Proto', 'which tells upstreams who the client is'],
    ['x-forwarded-host', 'which tells upstreams who the client is'],
    ['Forwarded', 'which tells upstreams who the client is'],
    ['X-Correlation-Id', 'which is the id that the gateway gives to each request'],
  ])('cannot change %s', (name, reason) => {
    for (const key of ['request-headers', 'response-headers']) {
      for (const rules of [`remove "${name}"`, `set { "${name}" "v" }`, `add { "${name}" "v" }`]) {
        expectRefusedConfiguration(text(`${key} { ${rules} }`), reason);
      }
    }
  });

  it('cannot change the certificate header of a listener', () => {
    const listeners =
      'listeners { listener "main" { address "127.0.0.1:8080"; trusted-proxies "10.0.0.0/8"; accept-client-cert-header "X-Cert" } }';
    const routes =
      'routes { route "r" { matches { path-prefix "/" }; upstream "echo"; agents #null; policies { request-headers { remove "x_cert" } } } }';
    expectRefusedConfiguration(
      configurationText({ listeners, routes }),
      '"request-headers" cannot change x_cert, which carries the client certificates of listener "main"',
    );
  });

  it.each([
    ['set { "X-A" "{clientip}" }', '"set" of X-A is wrong: "{clientip}" is not a placeholder'],
    ['set { "X-A" "a\\nb" }', '"set" of X-A has a control character or a line break'],
    ['add { "X-A" "a\\u{0}b" }', '"add" of X-A has a control character or a line break'],
    ['set { "X-A" "" }', '"set" of X-A has an empty value'],
    ['set { "X-A" "  " }', '"set" of X-A has an empty value'],
    ['set { "X-A" "a" "b" }', '"set" of X-A takes exactly one value'],
    ['add { "X-A" }', '"add" of X-A takes at least one value'],
    ['set { "X-A" 1 }', '"set" of X-A must be a string'],
    ['set { "X-A" { b "c" } }', '"X-A" takes a value, not a block'],
    ['set { "X-A" "1"; "x_a" "2" }', '"set" names x_a twice'],
    ['set { "X A" "1" }', '"set" must contain header names, not "X A"'],
    ['set "X-A"', '"set" takes a block'],
    ['set { "X-A" "$HOME" }', 'text is literal'],
    [`set { "X-A" "${'v'.repeat(4097)}" }`, '"set" of X-A has a value of 4097 bytes: at most 4096'],
    [`set { "X-A" "${'{path}'.repeat(9)}" }`, '"set" of X-A has 9 placeholders: at most 8'],
    [`set { "${'n'.repeat(257)}" "v" }`, 'has a header name of 257 characters: at most 256'],
    [
      `remove ${Array.from({ length: 65 }, (_, index) => `"X-${index}"`).join(' ')}`,
      '"request-headers" has 65 rules, with those of defaults: at most 64',
    ],
    ['drop "X-A"', 'unknown key "drop" in request-headers'],
    ['remove "X A"', '"remove" must contain header names, not "X A"'],
  ])('refuse %s', (rules, message) => {
    expectRefusedConfiguration(text(`request-headers { ${rules} }`), message);
  });

  it('are allowed on a builtin route', () => {
    const builtin = text(
      'request-headers { remove "X-A" }; response-headers { remove "X-A" }',
      '',
      'builtin-handler "health"',
    );
    expect(decodedText(builtin).problems).toEqual([]);
  });

  it.each([
    ['set { "Authorization" "Basic {topsecret}" }', '"set" of Authorization has an unknown placeholder'],
    ['set { "X-Api-Key" 123456789 }', '"set" of X-Api-Key must be a string'],
    ['set { "X-Api-Key" "key-{$NAME}topsecret" }', '"set" of X-Api-Key contains a variable'],
    ['set { "Authorization" "top\\nsecret" }', '"set" of Authorization has a control character'],
  ])('show nothing of a secret in the error for %s', (rules, message) => {
    const { problems } = decodedText(text(`request-headers { ${rules} }`));
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
    expect(JSON.stringify(problems)).not.toMatch(/topsecret|123456789/);
  });

  it('warn of a variable in another notation, which is sent as it is', () => {
    const { problems } = decodedText(text('request-headers { set { "X-Region" "eu-{$REGION}" } }'));
    expect(problems).toMatchObject([
      { severity: 'warning', message: '"set" of X-Region contains a variable, but text is literal' },
    ]);
  });
});

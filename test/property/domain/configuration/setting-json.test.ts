import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAgentOptions } from '../../../../src/domain/agent/configuration/decode-agent-options.js';
import { ProblemReport } from '../../../../src/domain/configuration/schema/problem-report.js';
import type { Setting } from '../../../../src/domain/configuration/setting/setting.js';
import { settingsFromJson, settingsToJson } from '../../../../src/domain/configuration/setting/setting-json.js';
import { settingsOf } from '../../../support/shared/configuration-settings.js';

const decode = (settings: readonly Setting[]) => {
  const report = new ProblemReport(() => null);
  const options = readAgentOptions(settings, { report, path: ['config'], position: null });
  if (report.hasErrors) return null;
  const shown = JSON.stringify(options, (_key, value: unknown) =>
    value !== null && typeof value === 'object' && 'reveal' in value ? (value as { reveal(): string }).reveal() : value,
  );
  return shown;
};

const quoted = (text: string): string => `"${text}"`;
const word = fc.stringMatching(/^[a-zA-Z0-9:,@ ._-]{0,12}$/).map(quoted);
const scalar = fc.oneof(word, fc.constantFrom('#true', '#false', '#null', '5', '1.5', '"HS256"', '"RS256"', '"X-Key"'));
const names = fc.constantFrom(
  'socket',
  'jwt-secret',
  'jwt-algorithm',
  'jwt-issuer',
  'api-keys',
  'api-key-header',
  'basic-auth-users',
  'fail-open',
  'forward-credentials',
  'user-id-header',
  'unknown',
  'oidc',
  'mtls',
  'token-cache-size',
  'issuer',
  'name',
);
const node = fc.record({
  name: names,
  args: fc.array(scalar, { maxLength: 3 }),
  child: fc.option(names, { nil: null }),
  property: fc.option(names, { nil: null, freq: 5 }),
});
const wild = node.map(({ name, args, child, property }) =>
  [
    name,
    ...args,
    ...(property === null ? [] : [`${property}="y"`]),
    ...(child === null ? [] : [`{ ${child} "x" }`]),
  ].join(' '),
);
const entry = fc.stringMatching(/^[a-z0-9]{1,4}:[a-z0-9,]{1,6}$/).map(quoted);
const entries = fc.array(entry, { minLength: 1, maxLength: 3 }).map((list) => list.join(' '));
const bit = fc.constantFrom('', ' #true', ' #false', ' #null');
const subset = (...lines: readonly string[]) => fc.subarray([...lines]).map((some) => some.join('; '));
const required = 'issuer "i"; jwks-url "https://i"';
const oidc = fc
  .tuple(
    fc.constantFrom('', ' "a"', ' "b"', ' #null', ' enabled=#true', ' "a" enabled=#true'),
    fc.constantFrom(required, required, required, 'issuer "i"'),
    subset('audience "x"', 'required-scopes "r" "w"', 'required-scopes "z"', 'jwks-refresh-secs 60', 'name "n"'),
  )
  .map(([name, those, more]) => `oidc${name} { ${those}; ${more} }`);
const mtls = subset(
  'enabled',
  'client-cert-header "Client-Cert"',
  'ca-cert-path "/ca.pem"',
  'allowed-dns "CN=a,O=b" "CN=c"',
  'allowed-sans "a.example"',
  'extract-cn-as-user #false',
).map((lines) => `mtls { ${lines} }`);
/** Valid lines, although two of one kind may occur together. */
const sound = fc.oneof(
  fc.constantFrom(
    'socket "/a"',
    'jwt-algorithm "RS256"',
    'jwt-issuer "i"',
    'jwt-audience #null',
    'user-id-header "X-U"',
  ),
  fc.tuple(fc.constantFrom('api-keys', 'basic-auth-users'), entries).map((pair) => pair.join(' ')),
  fc.tuple(fc.constantFrom('fail-open', 'forward-credentials'), bit).map((pair) => pair.join('')),
  oidc,
  oidc,
  mtls,
  fc.constantFrom('oidc #null', 'token-cache-size 0'),
);
const body = fc
  .array(fc.oneof({ weight: 9, arbitrary: sound }, { weight: 1, arbitrary: wild }), { maxLength: 5 })
  .map((lines) => lines.join('\n'));

describe('a config block', () => {
  it('has the same meaning from KDL and from its JSON', () => {
    let taken = 0;
    fc.assert(
      fc.property(body, (text) => {
        const settings = settingsOf(text);
        const back = settingsFromJson(settingsToJson(settings));
        const decoded = decode(settings);
        expect(back.ok && decode(back.value)).toEqual(decoded);
        if (decoded !== null && decoded !== '{}') taken += 1;
      }),
      { numRuns: 500 },
    );
    // Blocks that both forms refuse prove little.
    expect(taken).toBeGreaterThan(25);
  });

  it('becomes JSON that survives a round trip', () => {
    const value = fc.letrec((tie) => ({
      scalar: fc.oneof(
        fc.string(),
        fc.boolean(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constant(null),
      ),
      object: fc.dictionary(fc.string(), tie('any'), { maxKeys: 4, noNullPrototype: true }),
      any: fc.oneof({ depthSize: 'small' }, tie('scalar'), tie('object')),
    }));
    fc.assert(
      fc.property(value.object, (json) => {
        const settings = settingsFromJson(json as Parameters<typeof settingsFromJson>[0]);
        expect(settings.ok && settingsToJson(settings.value)).toEqual(json);
      }),
      { numRuns: 300 },
    );
  });
});

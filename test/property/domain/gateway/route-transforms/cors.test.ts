import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CorsPolicy, CorsResponder } from '../../../../../src/domain/gateway/route-transforms/cors-policy.js';

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,4}[a-z0-9])?$/);
const scheme = fc.constantFrom('https', 'http');
const port = fc.constantFrom('', ':8443', ':3000');
const name = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => `${labels.join('.')}.example`);

interface Listed {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
  readonly isWild: boolean;
}
const listed: fc.Arbitrary<Listed> = fc.record({ scheme, name, port, isWild: fc.boolean() });
const textOf = ({ scheme: of, name: host, port: at, isWild }: Listed): string =>
  `${of}://${isWild ? '*.' : ''}${host}${at}`;

/** Texts around a listed origin: equal, below, changed by one character, with something before or after it. */
const near = ({ scheme: of, name: host, port: at }: Listed): fc.Arbitrary<string> => {
  const origin = `${of}://${host}${at}`;
  const piece = fc.oneof(
    fc.string({ maxLength: 3 }),
    fc.constantFrom('.', '/', '@', '#', '*', ' ', ',', 'A', '\u0000', ':1'),
  );
  return fc.oneof(
    fc.constant(origin),
    fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => `${of}://${labels.join('.')}.${host}${at}`),
    fc
      .tuple(fc.nat(origin.length), fc.nat(2), piece)
      .map(([from, count, text]) => origin.slice(0, from) + text + origin.slice(from + count)),
    fc.tuple(piece, piece).map(([before, after]) => `${of}://${before}.${host}${at}${after}`),
    fc.constant(origin.toUpperCase()),
  );
};

const asked: fc.Arbitrary<{ readonly list: readonly Listed[]; readonly origin: string }> = fc
  .array(listed, { minLength: 1, maxLength: 5 })
  .chain((list) =>
    fc.record({
      list: fc.constant(list),
      origin: fc.oneof(...list.map(near), fc.string(), fc.webUrl(), fc.constantFrom('null', '*', '')),
    }),
  );

/** What the guide promises, said with a regular expression for each listed origin. */
const isAllowed = (list: readonly Listed[], origin: string): boolean =>
  list.some(({ scheme: of, name: host, port: at, isWild }) => {
    if (!isWild) return origin === `${of}://${host}${at}`;
    const below = new RegExp(`^${of}://(?:[a-z0-9_-]+\\.)+${host.replaceAll('.', '\\.')}${at}$`);
    return below.test(origin);
  });

const policy = (allowOrigins: readonly string[]): CorsPolicy => ({
  allowOrigins,
  allowMethods: ['GET'],
  allowHeaders: [],
  exposeHeaders: [],
  allowCredentials: false,
  maxAgeSecs: 0,
});

const allowedIn = (head: readonly string[]): readonly string[] =>
  head.flatMap((text, index) =>
    index % 2 === 0 && text.toLowerCase() === 'access-control-allow-origin' ? [head[index + 1] as string] : [],
  );

describe('Access-Control-Allow-Origin', () => {
  it('is the sent octets for an origin that is listed or below a listed one, and absent for all others', () => {
    fc.assert(
      fc.property(asked, fc.boolean(), ({ list, origin }, isPreflight) => {
        const responder = new CorsResponder(policy(list.map(textOf)));
        const head = isPreflight
          ? responder.withPreflightFields([], ['Origin', origin, 'Access-Control-Request-Method', 'GET'])
          : responder.withFields([], ['Origin', origin], true);
        expect(allowedIn(head)).toEqual(isAllowed(list, origin) ? [origin] : []);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never repeats a text of the request that the configuration does not list', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), fc.string(), (origins, names, method) => {
        const request = [
          ...origins.flatMap((origin) => ['Origin', origin]),
          ...names.flatMap((each) => ['Access-Control-Request-Headers', each]),
          ...['Access-Control-Request-Method', method],
        ];
        const responder = new CorsResponder(policy(['https://app.example.com']));
        expect(responder.withPreflightFields([], request)).toEqual(['Vary', 'Origin']);
        expect(responder.withFields([], request, true)).toEqual(['Vary', 'Origin']);
      }),
    );
  });

  it('is "*" or absent if every origin is allowed, and absent for null', () => {
    const responder = new CorsResponder(policy(['*']));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.constant('null')), (origin) => {
        const values = allowedIn(responder.withFields([], ['Origin', origin], true));
        expect([[], ['*']]).toContainEqual(values);
        if (!origin.includes('://') || /[\s,]/.test(origin)) expect(values).toEqual([]);
      }),
    );
  });
});

const fieldName = fc.constantFrom(
  'Vary',
  'vary',
  'VARY',
  'Access-Control-Allow-Origin',
  'access-control-max-age',
  'ETag',
);
const head = fc
  .array(fc.tuple(fieldName, fc.constantFrom('', '*', 'Origin', 'accept, ORIGIN', 'Accept', 'https://evil.test', ',')))
  .map((fields) => fields.flat());

describe('the head of a response with CORS', () => {
  it('varies by Origin once, and keeps every other field of the upstream but those of the protocol', () => {
    fc.assert(
      fc.property(head, fc.boolean(), (fields, isListed) => {
        const responder = new CorsResponder(policy(['https://app.example.com']));
        const request = isListed ? ['Origin', 'https://app.example.com'] : ['Origin', 'https://evil.test'];
        const changed = responder.withFields(fields, request, true);
        const valuesOf = (list: readonly string[], wanted: string): readonly string[] =>
          list.filter((_, index) => index % 2 === 1 && list[index - 1]?.toLowerCase() === wanted);
        const members = valuesOf(changed, 'vary').flatMap((value) =>
          value.split(',').map((each) => each.trim().toLowerCase()),
        );
        const sent = valuesOf(fields, 'vary').flatMap((value) =>
          value.split(',').map((each) => each.trim().toLowerCase()),
        );
        if (!sent.includes('*') && !sent.includes('origin'))
          expect(members.filter((each) => each === 'origin')).toHaveLength(1);
        expect(new Set(members.filter((each) => each !== ''))).toEqual(
          new Set(
            sent.includes('*') ? sent.filter((each) => each !== '') : [...sent.filter((each) => each !== ''), 'origin'],
          ),
        );
        expect(valuesOf(changed, 'etag')).toEqual(valuesOf(fields, 'etag'));
        expect(allowedIn(changed)).toEqual(isListed ? ['https://app.example.com'] : []);
        expect(valuesOf(changed, 'access-control-max-age')).toEqual([]);
      }),
    );
  });
});

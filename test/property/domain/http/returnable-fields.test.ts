import fc from 'fast-check';
import { expect, it } from 'vitest';
import { correlationIdHeader } from '../../../../src/domain/http/correlation-id.js';
import { withoutHopByHop } from '../../../../src/domain/http/field-traits.js';
import { type HeaderList, withHeader, withoutHeader } from '../../../../src/domain/http/header-list.js';
import {
  type OwnResponseFields,
  returnableFields,
  withOwnFields,
} from '../../../../src/domain/http/returnable-fields.js';

const names = [
  'Connection',
  'connection',
  'Keep-Alive',
  'keep_alive',
  'TE',
  'te',
  'Transfer-Encoding',
  'Trailer',
  'Content-Length',
  'content-length',
  'Content_Length',
  'RateLimit',
  'ratelimit',
  'RateLimit-Policy',
  'X-Correlation-Id',
  'x-correlation-id',
  'X_Correlation_Id',
  'X-Forwarded-For',
  'Host',
  'Set-Cookie',
  'X-Custom',
];
const values = ['a', 'close', 'x-custom, host', 'te, ratelimit', 'content-length, x-correlation-id', 'trailers', '5'];

const headerLists = fc
  .array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values)), { maxLength: 12 })
  .map((fields): HeaderList => fields.flat());

const owns = fc.record<OwnResponseFields>({
  rateLimitFields: fc.constantFrom<HeaderList[]>([], ['RateLimit-Policy', '"c";q=1', 'RateLimit', '"c";r=0']),
  targetFields: fc.constantFrom<HeaderList[]>([], ['Set-Cookie', 'at=a']),
  correlationId: fc.constant('c-1'),
});

/** A rule after the other. */
const stepByStep = (headers: HeaderList, status: number, own: OwnResponseFields): HeaderList => {
  const sound = status === 204 ? withoutHeader(headers, 'content-length') : headers;
  const passable = withoutHopByHop(sound);
  const { rateLimitFields, targetFields, correlationId } = own;
  const unrated =
    rateLimitFields.length === 0 ? passable : withoutHeader(withoutHeader(passable, 'ratelimit'), 'ratelimit-policy');
  return withHeader([...unrated, ...rateLimitFields, ...targetFields], correlationIdHeader, correlationId);
};

it('the fields of a response that go on are those that each rule by itself leaves, one rule after the other', () => {
  fc.assert(
    fc.property(headerLists, fc.constantFrom(200, 204, 304), owns, (headers, status, own) => {
      const expected = stepByStep(headers, status, own);
      expect(returnableFields(headers, status, own)).toEqual(expected);
      const sound = status === 204 ? withoutHeader(headers, 'content-length') : headers;
      expect(withOwnFields(withoutHopByHop(sound), own)).toEqual(expected);
    }),
    { numRuns: 3_000 },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRequestHead } from '../../../../src/domain/gateway/limits/request-limits.js';
import { sentCorrelationId } from '../../../../src/domain/http/correlation-id.js';
import type { HeaderList } from '../../../../src/domain/http/header-list.js';
import { parseHost } from '../../../../src/domain/http/request-target.js';
import { knownFields } from '../../../support/gateway/known-fields.js';
import { plainLimits } from '../../../support/gateway/plain-configurations.js';

const names = ['Host', 'host', 'Accept', 'X-Correlation-Id', 'Content-Length', 'a', 'x'.repeat(60), 'x'.repeat(70)];
const values = ['', 'a', 'shop.example.com:80', 'b c', '12', 'v'.repeat(50)];

const headerLists = fc
  .array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values)), { maxLength: 6 })
  .map((fields): HeaderList => fields.flat());

const limits = fc
  .record({
    maxHeaderCount: fc.integer({ min: 1, max: 8 }),
    maxHeaderNameBytes: fc.integer({ min: 1, max: 80 }),
    maxHeaderValueBytes: fc.integer({ min: 1, max: 400 }),
    maxHeaderSizeBytes: fc.integer({ min: 1, max: 400 }),
  })
  .map((some) => ({ ...plainLimits, ...some }));

describe('what is known of the fields of a request', () => {
  it('changes nothing that is found out about them', () => {
    fc.assert(
      fc.property(headerLists, limits, fc.constantFrom('1.0', '1.1'), (headers, limit, version) => {
        const known = knownFields(headers);
        fc.pre(known !== null);
        expect(checkRequestHead(headers, limit, known)).toEqual(checkRequestHead(headers, limit));
        expect(parseHost(headers, version, known)).toEqual(parseHost(headers, version));
        expect(sentCorrelationId(headers, known)).toBe(sentCorrelationId(headers, null));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is nothing that is known of another list, whatever is in that', () => {
    fc.assert(
      fc.property(headerLists, headerLists, limits, (headers, others, limit) => {
        const known = knownFields(others);
        expect(checkRequestHead(headers, limit, known)).toEqual(checkRequestHead(headers, limit));
        expect(parseHost(headers, '1.1', known)).toEqual(parseHost(headers, '1.1'));
        expect(sentCorrelationId(headers, known)).toBe(sentCorrelationId(headers, null));
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { responseFaultOf } from '../../../../../src/application/gateway/proxy-request/attempt-end.js';
import { BodyLimitError } from '../../../../../src/application/gateway/proxy-request/inflated-body.js';
import { InflationError } from '../../../../../src/application/ports/gateway/body-inflater.js';
import { BodyReadError } from '../../../../../src/application/ports/gateway/body-source.js';

describe('an error from reading a response', () => {
  it.each([
    ['an interrupted body', new BodyReadError('aborted', 'reset'), 'unreachable'],
    ['a malformed body', new BodyReadError('malformed', 'chunk size'), 'invalid_response'],
    ['a timeout', new BodyReadError('timed_out', 'silence'), 'timed_out'],
    ['a body that does not match its coding', new InflationError('no gzip'), 'invalid_response'],
    ['an unknown error', new Error('odd'), 'unreachable'],
    ['a value that is not an error', 'odd', 'unreachable'],
  ])('%s is a fault of the upstream', (_, error, code) => {
    expect(responseFaultOf(error)).toMatchObject({ kind: 'upstream', failure: { code } });
  });

  it('the inspection limit is a fault of its own kind', () => {
    const violation = { code: 'body_too_large', name: 'max-decompressed-size-bytes', limit: 1, actual: 2 } as const;
    expect(responseFaultOf(new BodyLimitError(violation))).toEqual({ kind: 'too_large', violation });
  });
});

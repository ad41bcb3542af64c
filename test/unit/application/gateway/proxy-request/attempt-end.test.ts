import { describe, expect, it } from 'vitest';
import { responseFaultOf } from '../../../../../src/application/gateway/proxy-request/attempt-end.js';
import { BodyLimitError } from '../../../../../src/application/gateway/proxy-request/inflated-body.js';
import { InflationError } from '../../../../../src/application/ports/gateway/body-inflater.js';
import { BodyReadError } from '../../../../../src/application/ports/gateway/body-source.js';

describe('an error that ended the reading of a response', () => {
  it.each([
    ['that broke off', new BodyReadError('aborted', 'reset'), 'unreachable'],
    ['that is malformed', new BodyReadError('malformed', 'chunk size'), 'invalid_response'],
    ['that stopped coming', new BodyReadError('timed_out', 'silence'), 'timed_out'],
    ['that is not coded as it says', new InflationError('no gzip'), 'invalid_response'],
    ['for no known reason', new Error('odd'), 'unreachable'],
    ['by what is no error', 'odd', 'unreachable'],
  ])('%s is a fault of the upstream', (_, error, code) => {
    expect(responseFaultOf(error)).toMatchObject({ kind: 'upstream', failure: { code } });
  });

  it('by a limit of what agents are shown is none of its own', () => {
    const violation = { code: 'body_too_large', name: 'max-decompressed-size-bytes', limit: 1, actual: 2 } as const;
    expect(responseFaultOf(new BodyLimitError(violation))).toEqual({ kind: 'too_large', violation });
  });
});

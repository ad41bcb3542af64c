import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grpcCodeOf, grpcErrorHeaders, isGrpcCall } from '../../../../src/domain/http/grpc-error.js';

describe('a gRPC call', () => {
  it.each(['application/grpc', 'application/grpc+proto', 'Application/GRPC', 'application/grpc; charset=x'])(
    'is a request with the media type %s',
    (type) => {
      expect(isGrpcCall(['accept', '*/*', 'Content-Type', type])).toBe(true);
    },
  );

  it.each(['application/grpc-web', 'application/grpc-web+proto', 'application/grpcx', 'application/json', ''])(
    'is no request with the media type "%s"',
    (type) => {
      expect(isGrpcCall(['content-type', type])).toBe(false);
    },
  );

  it('is no request without a media type', () => {
    expect(isGrpcCall(['accept', 'application/grpc'])).toBe(false);
  });
});

describe('an error for a gRPC call', () => {
  it.each([
    [400, 13],
    [401, 16],
    [403, 7],
    [404, 12],
    [408, 4],
    [413, 8],
    [429, 14],
    [431, 8],
    [501, 12],
    [502, 14],
    [503, 14],
    [504, 4],
    [418, 2],
    [500, 2],
  ])('has for status %i the code %i', (status, code) => {
    expect(grpcCodeOf(status)).toBe(code);
  });

  it('has one status and one message, whatever an agent sets', () => {
    const set = ['grpc-status', '0', 'Grpc-Message', 'ok', 'grpc-status-details-bin', 'AA', 'X-Reason', 'r'];
    expect(grpcErrorHeaders(403, 'No', set)).toEqual([
      'Content-Type',
      'application/grpc',
      'grpc-status',
      '7',
      'grpc-message',
      'No',
      'X-Reason',
      'r',
    ]);
  });

  it('keeps what the client has to do, and drops what described the body', () => {
    const headers = ['Content-Type', 'application/problem+json', 'Retry-After', '1', 'X-Correlation-Id', 'c'];
    expect(grpcErrorHeaders(503, 'Busy: 100% – später', headers)).toEqual([
      'Content-Type',
      'application/grpc',
      'grpc-status',
      '14',
      'grpc-message',
      'Busy: 100%25 %E2%80%93 sp%C3%A4ter',
      'Retry-After',
      '1',
      'X-Correlation-Id',
      'c',
    ]);
  });

  it('has a message of printable ASCII that decodes to the text, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
        const encoded = grpcErrorHeaders(500, text, [])[5] as string;
        expect(encoded).toMatch(/^[\x20-\x7e]*$/);
        expect(decodeURIComponent(encoded)).toBe(text.slice(0, 512));
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { responseFramingFault } from '../../../../src/domain/http/response-framing.js';

const v11 = 'HTTP/1.1';

describe('responseFramingFault', () => {
  it.each([
    ['a length', ['Content-Length', '5']],
    ['nothing, where the connection ends it', ['X-A', 'b']],
    ['chunked', ['Transfer-Encoding', 'chunked']],
    ['chunked in capitals', ['TRANSFER-ENCODING', 'CHUNKED']],
  ])('accepts %s', (_, headers) => {
    expect(responseFramingFault(headers, v11)).toBeNull();
  });

  it.each([
    ['another coding', ['Transfer-Encoding', 'gzip'], v11, 'transfer coding'],
    ['two codings', ['Transfer-Encoding', 'gzip, chunked'], v11, 'transfer coding'],
    ['two fields', ['Transfer-Encoding', 'chunked', 'transfer-encoding', 'chunked'], v11, 'transfer coding'],
    ['no coding', ['Transfer-Encoding', ''], v11, 'transfer coding'],
    ['chunked with a length', ['Content-Length', '5', 'Transfer-Encoding', 'chunked'], v11, 'both'],
    ['chunked in HTTP/1.0', ['Transfer-Encoding', 'chunked'], 'HTTP/1.0', 'HTTP/1.1'],
    ['chunked in no known version', ['Transfer-Encoding', 'chunked'], '', 'HTTP/1.1'],
  ])('finds fault with %s', (_, headers, version, fault) => {
    expect(responseFramingFault(headers, version)).toContain(fault);
  });
});

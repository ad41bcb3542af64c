import { describe, expect, it } from 'vitest';
import { withoutHopByHop } from '../../../../src/domain/http/field-traits.js';

describe('withoutHopByHop', () => {
  it.each([
    'Connection',
    'KEEP-ALIVE',
    'Proxy-Connection',
    'proxy-authorization',
    'Proxy-Authenticate',
    'Proxy-Authentication-Info',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'HTTP2-Settings',
    'Expect',
  ])('drops %s', (name) => {
    expect(withoutHopByHop(['A', '1', name, 'x', 'B', '2'])).toEqual(['A', '1', 'B', '2']);
  });

  it.each([
    'Transfer_Encoding',
    'transfer.encoding',
    'KEEP_ALIVE',
    'Proxy_Authorization',
    'HTTP2_Settings',
    'Content_Length',
    'Content.Length',
    'X_Correlation-Id',
  ])('drops %s, which CGI takes for the field that it looks like', (name) => {
    expect(withoutHopByHop(['A', '1', name, '5', 'B', '2'])).toEqual(['A', '1', 'B', '2']);
  });

  it('keeps the fields that those look like', () => {
    const headers = ['Content-Length', '5', 'X-Correlation-Id', 'a', 'X_Own', 'b'];
    expect(withoutHopByHop(headers)).toEqual(headers);
  });

  it('drops what Connection nominates, wherever it stands', () => {
    const headers = ['X-Own', '1', 'Connection', 'close, x-own ,,X-Other', 'x-OTHER', '2', 'X-Third', '3'];
    expect(withoutHopByHop(headers)).toEqual(['X-Third', '3']);
  });

  it('reads every Connection field', () => {
    expect(withoutHopByHop(['Connection', 'a', 'A', '1', 'connection', 'b', 'B', '2', 'C', '3'])).toEqual(['C', '3']);
  });

  it('lets Connection remove nothing that is meant for every recipient', () => {
    const kept = [
      'Host',
      'h',
      'Content-Length',
      '1',
      'Authorization',
      'a',
      'Cookie',
      'c',
      'X-Forwarded-For',
      '192.0.2.1',
      'Forwarded',
      'for=x',
    ];
    const option = 'host, content-length, authorization, cookie, x-forwarded-for, forwarded';
    expect(withoutHopByHop([...kept, 'Connection', option])).toEqual(kept);
  });

  it('lets Connection remove nothing that says who a client is', () => {
    const names = ['True-Client-IP', 'X-Client-IP', 'X-Cluster-Client-IP', 'X-Original-Forwarded-For', 'X-Real-IP'];
    const kept = names.flatMap((name) => [name, '192.0.2.1']);
    expect(withoutHopByHop([...kept, 'Connection', names.join(', ')])).toEqual(kept);
  });

  it('keeps trailers of TE and nothing else, once', () => {
    expect(withoutHopByHop(['TE', 'trailers'])).toEqual(['TE', 'trailers']);
    expect(withoutHopByHop(['TE', 'gzip;q=0.5, Trailers', 'te', 'trailers'])).toEqual(['TE', 'trailers']);
    expect(withoutHopByHop(['Connection', 'TE', 'TE', 'trailers'])).toEqual(['TE', 'trailers']);
    expect(withoutHopByHop(['TE', 'gzip'])).toEqual([]);
  });

  it('gives the same list back where nothing has to go', () => {
    const headers = ['Host', 'a', 'Accept', '*/*'];
    expect(withoutHopByHop(headers)).toBe(headers);
  });
});

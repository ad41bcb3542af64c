import { describe, expect, it } from 'vitest';
import { compileCidrs } from '../../../../src/domain/http/cidr-set.js';
import { clientAddress } from '../../../../src/domain/http/client-address.js';
import { withForwardedHeaders } from '../../../../src/domain/http/forwardable-fields.js';

const cidrs = compileCidrs(['10.0.0.0/8']);
if (!cidrs.ok) throw new Error(cidrs.error);
const trusted = cidrs.value;

const forwarded = (
  headers: readonly string[],
  peerAddress: string,
  host: string | null = 'a.example',
): Record<string, string> => {
  const client = clientAddress({ peerAddress, peerPort: 1, headers, trusted });
  const result = withForwardedHeaders(headers, { client, peerAddress, scheme: 'http', host });
  const fields: Record<string, string> = {};
  for (let index = 0; index < result.length; index += 2) {
    const name = result[index] ?? '';
    expect(fields).not.toHaveProperty(name);
    fields[name] = result[index + 1] ?? '';
  }
  return fields;
};

describe('withForwardedHeaders', () => {
  it('tells the upstream of a client that came directly', () => {
    expect(forwarded(['Accept', '*/*'], '192.0.2.1', 'a.example:8080')).toEqual({
      Accept: '*/*',
      'X-Forwarded-For': '192.0.2.1',
      'X-Forwarded-Proto': 'http',
      'X-Forwarded-Host': 'a.example:8080',
      Forwarded: 'for=192.0.2.1;proto=http;host="a.example:8080"',
    });
  });

  it('replaces everything that an untrusted peer says of a client, however it is spelt', () => {
    const forged = [
      ...[
        'x-forwarded-for',
        '1.1.1.1',
        'X_Forwarded_For',
        '1.1.1.1',
        'X-Forwarded_Proto',
        'https',
        'X.Forwarded.Host',
        'evil',
      ],
      ...['FORWARDED', 'for=1.1.1.1', 'X-Real-IP', '1.1.1.1', 'x_real_ip', '1.1.1.1', 'True-Client-IP', '1.1.1.1'],
      ...['X-Forwarded-Port', '1', 'X-Forwarded-Prefix', '/x', 'X-Forwarded-Ssl', 'on', 'X-Client-IP', '1.1.1.1'],
    ];
    expect(forwarded(forged, '192.0.2.1')).toEqual({
      'X-Forwarded-For': '192.0.2.1',
      'X-Forwarded-Proto': 'http',
      'X-Forwarded-Host': 'a.example',
      Forwarded: 'for=192.0.2.1;proto=http;host=a.example',
    });
  });

  it('continues X-Forwarded-For of a trusted peer and makes Forwarded agree with it', () => {
    const headers = [
      'X-Forwarded-For',
      '9.9.9.9, 198.51.100.7',
      'X-Forwarded-Proto',
      'https',
      'Forwarded',
      'for=6.6.6.6',
      'X-Forwarded-Port',
      '443',
      'X_Real_IP',
      '6.6.6.6',
    ];
    expect(forwarded(headers, '10.0.0.1')).toEqual({
      'X-Forwarded-Port': '443',
      'X-Forwarded-For': '9.9.9.9, 198.51.100.7, 10.0.0.1',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'a.example',
      Forwarded: 'for=198.51.100.7;proto=https;host=a.example, for=10.0.0.1;proto=http;host=a.example',
    });
  });

  it('continues Forwarded of a trusted peer and makes X-Forwarded-For agree with it', () => {
    const headers = ['Forwarded', 'for="[2001:db8::1]";proto=https;host=shop.example'];
    expect(forwarded(headers, '10.0.0.1')).toEqual({
      'X-Forwarded-For': '2001:db8::1, 10.0.0.1',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'shop.example',
      Forwarded: 'for="[2001:db8::1]";proto=https;host=shop.example, for=10.0.0.1;proto=http;host=a.example',
    });
  });

  it('continues no line that says nothing', () => {
    const headers = ['X-Forwarded-For', ' ', 'X-Forwarded-For', '198.51.100.7', 'X-Forwarded-For', ''];
    expect(forwarded(headers, '10.0.0.1')).toMatchObject({ 'X-Forwarded-For': '198.51.100.7, 10.0.0.1' });
    expect(forwarded(['X-Forwarded-For', ''], '10.0.0.1')).toMatchObject({ 'X-Forwarded-For': '10.0.0.1' });
  });

  it('writes an IPv6 peer in brackets where RFC 7239 asks for them, and a mapped one as IPv4', () => {
    expect(forwarded([], '2001:DB8::1')).toMatchObject({
      'X-Forwarded-For': '2001:db8::1',
      Forwarded: 'for="[2001:db8::1]";proto=http;host=a.example',
    });
    expect(forwarded([], '::ffff:192.0.2.1')).toMatchObject({ 'X-Forwarded-For': '192.0.2.1' });
  });

  it('names no host where the request has none', () => {
    expect(forwarded([], '192.0.2.1', null)).toEqual({
      'X-Forwarded-For': '192.0.2.1',
      'X-Forwarded-Proto': 'http',
      Forwarded: 'for=192.0.2.1;proto=http',
    });
  });
});

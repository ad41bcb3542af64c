import { describe, expect, it } from 'vitest';
import { readGatewayMessage } from '../../../../../src/adapters/wire/agent-frames/gateway-message.js';
import { HeadWriter } from '../../../../../src/adapters/wire/agent-frames/head-writer.js';
import { JsonOctets } from '../../../../../src/adapters/wire/agent-frames/json-octets.js';
import { RequestHeadReader } from '../../../../../src/adapters/wire/agent-frames/request-head-reader.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';

const event = headersEvent('call-12345', { headers: ['host', 'a.test', 'x-correlation-id', 'call-12345'] });

const textOf = (): string => {
  const into = new JsonOctets();
  new HeadWriter().addRequest(into, event);
  return Buffer.from(into.view()).toString();
};

const frameOf = (text: string) => ({ name: 'request_headers', payload: Buffer.from(text) }) as const;

describe('the head of a request', () => {
  it('is read as it is', () => {
    const reader = new RequestHeadReader();
    for (let time = 0; time < 3; time += 1) expect(reader.read(Buffer.from(textOf()))).toEqual(event);
  });

  it.each<[string, string | RegExp, string]>([
    ['a port with a zero in front', '"client_port":40000', '"client_port":04000'],
    ['a port that is none', '"client_port":40000', '"client_port":'],
    ['a negative port', '"client_port":40000', '"client_port":-4'],
    ['a port with a fraction', '"client_port":40000', '"client_port":1.5'],
    ['a long port', '"client_port":40000', '"client_port":1234567'],
    ['a time that is none', /"timestamp":"[^"]*"/, '"timestamp":"noon"'],
    ['a time that is absent', /"timestamp":"[^"]*"/, '"timestamp":null'],
    ['two ids', '"metadata":{"correlation_id":"call-12345"', '"metadata":{"correlation_id":"call-12346"'],
    ['an id that goes on', '"metadata":{"correlation_id":"call-12345"', '"metadata":{"correlation_id":"call-123456"'],
    ['an escape', '"method":"GET"', '"method":"G\\u0045T"'],
    ['a control character', '"method":"GET"', '"method":"G\u0001T"'],
    ['a character of two octets', '"method":"GET"', '"method":"GÉT"'],
    ['a space', '"method":"GET"', '"method": "GET"'],
    ['a member twice', '"method":"GET"', '"method":"PUT","method":"GET"'],
    ['a member that is unknown', '"method":"GET"', '"method":"GET","extra":{}'],
    ['no text where there has to be one', '"protocol":"HTTP/1.1"', '"protocol":null'],
    ['a text where there may be none', '"tls_version":null', '"tls_version":""'],
    ['another value', '"tls_version":null', '"tls_version":true'],
    ['a member behind its headers', /\}\}$/, '},"method":"PUT"}'],
    ['something behind its end', /$/, ' {}'],
    ['a space behind its end', /$/, ' '],
    ['no end', /\}$/, ''],
    ['a header that is no array', '["a.test"]', '"a.test"'],
    ['a header of no text', '["a.test"]', '[1]'],
  ])('is read with %s as any reader of JSON does', (_case, from, to) => {
    const reader = new RequestHeadReader();
    const text = textOf();
    expect(text.replace(from, to)).not.toBe(text);
    for (const sent of [text, text.replace(from, to), text, text.replace(from, to), text]) {
      expect(readGatewayMessage(frameOf(sent), reader)).toEqual(readGatewayMessage(frameOf(sent)));
    }
  });

  it('is left to others where it is large', () => {
    const text = textOf().replace('a.test', 'a'.repeat(5_000));
    const reader = new RequestHeadReader();
    expect(reader.read(Buffer.from(text))).toBeNull();
    expect(readGatewayMessage(frameOf(text), reader)).toEqual(readGatewayMessage(frameOf(text)));
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientAddress } from '../../../../src/domain/http/client-address.js';
import { correlationIdHeader } from '../../../../src/domain/http/correlation-id.js';
import { withoutHopByHop } from '../../../../src/domain/http/field-traits.js';
import {
  type ForwardableFieldSources,
  forwardableFields,
  withForwardedHeaders,
} from '../../../../src/domain/http/forwardable-fields.js';
import { type HeaderList, withHeader } from '../../../../src/domain/http/header-list.js';
import { alwaysOwned, ownedHeaders, stripOwned } from '../../../../src/domain/http/owned-headers.js';
import { knownFields } from '../../../support/gateway/known-fields.js';

const names = [
  'Accept',
  'Connection',
  'connection',
  'Host',
  'host',
  'TE',
  'Transfer_Encoding',
  'Content_Length',
  'Content-Length',
  'X-Correlation-Id',
  'X_Correlation.Id',
  'X-Forwarded-For',
  'x-forwarded-proto',
  'X_Forwarded_Host',
  'Forwarded',
  'X-Real-IP',
  'X_Real_IP',
  'X-Client-Ip',
  'X-User-Id',
  'x_user_id',
  'X-Auth-Claim-Role',
  'X-Custom',
  'Cookie',
  'Upgrade',
  'Expect',
];
const values = [
  'a',
  'close',
  'keep-alive',
  'x-custom, accept',
  'cookie',
  'trailers',
  'gzip, trailers',
  '192.0.2.1',
  'host',
];

const headerLists = fc
  .array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values)), { maxLength: 12 })
  .map((fields): HeaderList => fields.flat());

const clients = fc.record<ClientAddress>({
  address: fc.constantFrom('192.0.2.7', '2001:db8::1'),
  port: fc.constant(0),
  peerTrusted: fc.boolean(),
  source: fc.constantFrom('connection', 'x_forwarded_for', 'forwarded'),
  scheme: fc.constantFrom(null, 'https'),
  host: fc.constantFrom(null, 'shop.example.com'),
});

/** A field after the other, and a step after the other. */
const stepByStep = (headers: HeaderList, parts: ForwardableFieldSources): HeaderList => {
  const passable = withoutHopByHop(headers);
  const unforged = parts.owned === null ? passable : stripOwned(passable, parts.owned);
  const forwarded = withForwardedHeaders(unforged, parts);
  const certified = [...forwarded, ...parts.certificateFields];
  const addressed = parts.host === null ? certified : withHeader(certified, 'Host', parts.host);
  return withHeader(addressed, correlationIdHeader, parts.correlationId);
};

const sorted = (headers: HeaderList): readonly string[] => {
  const lines: string[] = [];
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  return lines.sort();
};

/** Most lists of these go on as they are. */
const plainLists = fc
  .uniqueArray(fc.constantFrom('Accept', 'Host', 'host', 'Content-Length', 'X-Custom', 'X-Client-Ip', 'X-User-Id'), {
    maxLength: 5,
    selector: (name) => name.toLowerCase(),
  })
  .chain((list) =>
    fc.tuple(...list.map((name) => fc.constantFrom('a', 'api.example.com:8443').map((value) => [name, value]))),
  )
  .map((fields): HeaderList => fields.flat());

const partsOf = (client: ClientAddress, hasAgents: boolean, hasHost: boolean): ForwardableFieldSources => ({
  owned: hasAgents ? ownedHeaders(alwaysOwned) : null,
  certificateFields: hasAgents ? ['X-Client-Cert', 'PEM'] : [],
  client,
  peerAddress: client.source === 'connection' ? client.address : '198.51.100.9',
  scheme: 'http',
  host: hasHost ? 'api.example.com:8443' : null,
  correlationId: 'c-1',
});

describe('the fields of a request that go on', () => {
  it('are the same in the same order, whatever is known of those that came', () => {
    const lists = fc.oneof(plainLists, headerLists);
    let asTheyAre = 0;
    fc.assert(
      fc.property(lists, clients, fc.boolean(), fc.boolean(), (headers, client, hasAgents, hasHost) => {
        const parts = partsOf(client, hasAgents, hasHost);
        const known = knownFields(headers);
        fc.pre(known !== null);
        const fields = forwardableFields(headers, parts, known);
        expect(fields).toEqual(forwardableFields(headers, parts));
        expect(fields).not.toBe(headers);
        expect(forwardableFields([...headers], parts, known)).toEqual(fields);
        if (headers.length > 0 && headers.every((text, at) => fields[at] === text)) asTheyAre += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(asTheyAre).toBeGreaterThan(100);
  });

  it('are those that each rule by itself leaves, one rule after the other', () => {
    fc.assert(
      fc.property(headerLists, clients, fc.boolean(), fc.boolean(), (headers, client, hasAgents, hasHost) => {
        const parts = partsOf(client, hasAgents, hasHost);
        expect(sorted(forwardableFields(headers, parts))).toEqual(sorted(stepByStep(headers, parts)));
      }),
      { numRuns: 2_000 },
    );
  });
});

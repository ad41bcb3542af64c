import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyAnswered, rememberAnswer } from '../../../../src/domain/agent-protocol/lasting-answers.js';
import { type AgentAnswer, allowAnswer, type HeaderOperation } from '../../../../src/domain/agent-protocol/messages.js';
import { compileCidrs } from '../../../../src/domain/http/cidr-set.js';
import { type ClientAddress, clientAddress } from '../../../../src/domain/http/client-address.js';
import { ConnectionHeaderCache } from '../../../../src/domain/http/connection-header-cache.js';
import {
  type ForwardableParts,
  forwardableFields,
  forwardedAgain,
} from '../../../../src/domain/http/forwardable-fields.js';
import { type HeaderList, lowerNames } from '../../../../src/domain/http/header-list.js';
import type { HeaderSummary } from '../../../../src/domain/http/header-summary.js';
import { type OwnedHeaders, ownedHeaders } from '../../../../src/domain/http/owned-headers.js';
import { RepeatedHeaderCache } from '../../../../src/domain/http/repeated-header-cache.js';
import { knownFields } from '../../../support/gateway/known-fields.js';

const compiled = compileCidrs(['10.0.0.0/8']);
if (!compiled.ok) throw new Error(compiled.error);
const trusted = compiled.value;
const scheme = 'https';

const field = fc.oneof(
  fc.tuple(
    fc.constantFrom('Accept', 'X-Custom', 'x-custom', 'X-User-Id', 'x_user_id', 'Cookie'),
    fc.constantFrom('a', 'b'),
  ),
  fc.constantFrom(['Host', 'a.example'], ['host', 'b.example']),
  fc.constantFrom(
    ['TE', 'trailers'],
    ['te', 'gzip, trailers'],
    ['Connection', 'keep-alive'],
    ['Connection', 'x-custom, accept'],
    ['Keep-Alive', 'timeout=5'],
    ['Transfer_Encoding', 'chunked'],
    ['Upgrade', 'h2c'],
    ['X-Correlation-Id', 'c-of-client'],
    ['X_Correlation_Id', 'c-of-client'],
    ['X-Forwarded-For', '192.0.2.1'],
    ['Forwarded', 'for=192.0.2.8;host=x'],
    ['X_Real_IP', '192.0.2.1'],
  ),
);
const lists = fc
  .array(field, { maxLength: 8 })
  .map((fields): HeaderList => fields.flat())
  .filter((headers) => knownFields(headers) !== null);

/** Those of two states of the configuration, and of a route without agents. */
const allOwned: readonly (OwnedHeaders | null)[] = [ownedHeaders(['X-User-Id']), ownedHeaders(['X-Custom']), null];

const answerOf = (...requestHeaders: readonly HeaderOperation[]): AgentAnswer =>
  rememberAnswer({ ...allowAnswer, requestHeaders });

/** What agents answer again and again. */
const answers: readonly AgentAnswer[] = [
  answerOf({ kind: 'set', name: 'X-User-Id', value: 'u1' }, { kind: 'set', name: 'X-Auth-Method', value: 'jwt' }),
  answerOf({ kind: 'set', name: 'X-User-Id', value: 'u2' }),
  answerOf({ kind: 'remove', name: 'Cookie' }, { kind: 'add', name: 'Accept', value: 'b' }),
  answerOf({ kind: 'set', name: 'accept', value: 'text/html' }),
  answerOf(),
  answerOf({ kind: 'set', name: 'X-Large', value: 'x'.repeat(8_192) }),
];

interface Turn {
  readonly answer: number;
  /** Which of the lists of the connection it comes with. */
  readonly list: number;
  /** The very list of the turns before, as the engine gives it; else one that is as long-lived as the request. */
  readonly isSame: boolean;
  readonly owned: number;
  readonly host: string | null;
  readonly certificateFields: HeaderList;
  /** What an agent makes of the fields. */
  readonly changes: readonly { kind: 'set' | 'rename' | 'remove' | 'add' | 'swap'; at: number; text: string }[];
}

const usually = <Value>(value: Value, ...others: Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: fc.constantFrom(value, ...others) });

const turns = fc.array(
  fc.record<Turn>({
    answer: usually(0, 1, 2, 3, 4, 5),
    list: usually(0, 1),
    isSame: usually(true, false),
    owned: usually(0, 1, 2),
    host: usually<string | null>('a.example', 'b.example', null),
    certificateFields: usually<HeaderList>([], ['X-Client-Cert', 'PEM'], ['X-Client-Cert', 'other PEM']),
    changes: fc.array(
      fc.record({
        kind: fc.constantFrom('set', 'rename', 'remove', 'add', 'swap'),
        at: fc.nat(),
        text: fc.constantFrom('X-User-Id', 'x-user-id', 'ACCEPT', ''),
      }),
      { maxLength: 2 },
    ),
  }),
  { minLength: 2, maxLength: 12 },
);

const changed = (headers: HeaderList, changes: Turn['changes']): HeaderList => {
  let list: readonly string[] = headers;
  for (const { kind, at, text } of changes) {
    const place = list.length === 0 ? 0 : (at % (list.length / 2)) * 2;
    if (kind === 'add') list = [...list, text, text];
    else if (list.length === 0) continue;
    else if (kind === 'set') list = list.with(place + 1, text);
    else if (kind === 'rename') list = list.with(place, text);
    else if (kind === 'remove') list = list.toSpliced(place, 2);
    else list = [...list.slice(place), ...list.slice(0, place)];
  }
  return list;
};

const factsOf = (headers: HeaderList, comesAgain: boolean): HeaderSummary => {
  const facts = knownFields(headers);
  if (facts === null) throw new Error('a list that no reader lets through');
  return { ...facts, comesAgain };
};

/** The client of a request, as it is found out for each: the one that is known where there is one. */
const clientOf = (known: ConnectionHeaderCache, peerAddress: string, headers: HeaderList): ClientAddress =>
  known.client ?? clientAddress({ peerAddress, peerPort: 7, headers, trusted });

describe('fields that come with one request after the other', () => {
  it('go on as they would without memory, and have the lower names that they would have', () => {
    const remembered = { forwarded: 0, operated: 0 };
    const peers = fc.constantFrom('192.0.2.7', '192.0.2.7', '2001:db8::1', '10.1.2.3');
    fc.assert(
      fc.property(peers, fc.tuple(lists, lists), fc.nat(), turns, (peerAddress, kept, usual, all) => {
        const peer = { peerAddress, peerPort: 7, scheme } as const;
        const known = new ConnectionHeaderCache(peer, trusted);
        const factsOfKept = kept.map((headers) => factsOf(headers, true));
        const given: { readonly fields: HeaderList; readonly copy: HeaderList }[] = [];
        all.forEach(({ answer, list, isSame, owned, host, certificateFields, changes }, turn) => {
          const headers = kept[list] as HeaderList;
          const facts = isSame ? (factsOfKept[list] as HeaderSummary) : factsOf([...headers], false);
          if (host !== null) known.authority(host);
          const partsWith = (each: ConnectionHeaderCache): ForwardableParts => ({
            owned: allOwned[owned] as OwnedHeaders | null,
            certificateFields,
            client: clientOf(each, peerAddress, headers),
            peerAddress,
            scheme,
            known: each,
            host,
            correlationId: `c-${turn}`,
          });
          const parts = partsWith(known);
          const alike = forwardedAgain(facts.fields, parts, facts);
          if (alike !== null) remembered.forwarded += 1;
          const fields = alike === null ? forwardableFields(facts.fields, parts, facts) : alike.fields;
          if (alike !== null) expect(alike.kept.with(alike.at, parts.correlationId)).toEqual(fields);
          const fresh = new ConnectionHeaderCache(peer, trusted);
          expect(fields).toEqual(forwardableFields([...headers], partsWith(fresh), factsOf(headers, false)));
          expect(fields).toEqual(forwardableFields([...headers], { ...partsWith(fresh), known: null }));

          const seen = known.lowerNames(fields, alike);
          expect(seen).toEqual(lowerNames(fields));
          // Who is given it may do with it as they like.
          (seen as string[]).fill('spoilt');
          const after = changed(fields, changes);
          expect(known.lowerNames(after)).toEqual(lowerNames(after));
          expect(known.lowerNames(after, alike)).toEqual(lowerNames(after));
          given.push({ fields, copy: [...fields] });

          const givenAnswer = answers[(usual + answer) % answers.length] as AgentAnswer;
          const applied = applyAnswered(fields, givenAnswer);
          if (!applied.ok) throw new Error(applied.error);
          const operated = alike === null ? null : known.operated(alike, givenAnswer);
          if (operated !== null) {
            remembered.operated += 1;
            expect(operated.fields).toEqual(applied.value);
            expect(known.lowerNames(operated.fields, operated)).toEqual(lowerNames(operated.fields));
            expect(operated.kept.with(operated.at, parts.correlationId)).toEqual(operated.fields);
            given.push({ fields: operated.fields, copy: [...operated.fields] });
          } else if (alike !== null) known.rememberOperated(alike, givenAnswer, applied.value);
          for (const earlier of given) expect(earlier.fields).toEqual(earlier.copy);
        });
        expect(new Set(given.map(({ fields }) => fields)).size).toBe(given.length);
      }),
      { numRuns: 1_500 },
    );
    expect(remembered.forwarded).toBeGreaterThan(1_000);
    expect(remembered.operated).toBeGreaterThan(500);
  });

  it('are told what an answer makes of them for the very answer and the very list alone, and not where that is long', () => {
    const peer = known();
    const kept: HeaderList = ['Accept', 'a', 'X-Correlation-Id', 'c-0'];
    const [first, other, , , , large] = answers as readonly [AgentAnswer, ...AgentAnswer[]];
    const operated: HeaderList = ['Accept', 'a', 'X-Correlation-Id', 'c-1', 'X-User-Id', 'u1'];
    peer.rememberOperated(RepeatedHeaderCache.of(kept, 3, 'c-1'), first, operated);
    const next = peer.operated(RepeatedHeaderCache.of(kept, 3, 'c-2'), first);
    expect(next?.fields).toEqual(operated.with(3, 'c-2'));
    expect([next?.kept, next?.at, operated[3]]).toEqual([operated, 3, 'c-1']);
    expect(peer.operated(RepeatedHeaderCache.of(kept, 3, 'c-2'), { ...first })).toBeNull();
    expect(peer.operated(RepeatedHeaderCache.of(kept, 3, 'c-2'), other as AgentAnswer)).toBeNull();
    expect(peer.operated(RepeatedHeaderCache.of([...kept], 3, 'c-2'), first)).toBeNull();
    // One that has moved the value is not remembered, nor is one that would have a connection keep much.
    peer.rememberOperated(RepeatedHeaderCache.of(kept, 3, 'c-1'), other as AgentAnswer, ['X-Correlation-Id', 'c-1']);
    expect(peer.operated(RepeatedHeaderCache.of(kept, 3, 'c-2'), other as AgentAnswer)).toBeNull();
    const long = [...operated, 'X-Large', 'x'.repeat(8_192)];
    peer.rememberOperated(RepeatedHeaderCache.of(kept, 3, 'c-1'), large as AgentAnswer, long);
    expect(peer.operated(RepeatedHeaderCache.of(kept, 3, 'c-2'), large as AgentAnswer)).toBeNull();
    expect(peer.operated(RepeatedHeaderCache.of(kept, 3, 'c-2'), first)).not.toBeNull();
  });

  const headers: HeaderList = ['Host', 'a.example', 'X-Custom', 'a', 'X-User-Id', 'admin'];
  const sent = factsOf(headers, true);
  const known = (): ConnectionHeaderCache =>
    new ConnectionHeaderCache({ peerAddress: '192.0.2.7', peerPort: 7, scheme }, trusted);
  const partsOf = (peer: ConnectionHeaderCache, other: Partial<ForwardableParts> = {}): ForwardableParts => ({
    owned: ownedHeaders(['X-User-Id']),
    certificateFields: [],
    client: clientOf(peer, '192.0.2.7', headers),
    peerAddress: '192.0.2.7',
    scheme,
    known: peer,
    host: 'a.example',
    correlationId: 'c-1',
    ...other,
  });

  it('are not taken for what went on before the configuration changed what agents own', () => {
    const peer = known();
    expect(forwardableFields(headers, partsOf(peer, { owned: ownedHeaders(['X-Custom']) }), sent)).toContain('admin');
    for (let time = 0; time < 2; time += 1)
      expect(forwardableFields(headers, partsOf(peer), sent)).not.toContain('admin');
    expect(forwardableFields(headers, partsOf(peer, { owned: null }), sent)).toContain('admin');
  });

  it('leave no memory behind where they come once, with a certificate, a correlation id or a client that is not the peer', () => {
    const peer = known();
    const certified = partsOf(peer, { certificateFields: ['X-Client-Cert', 'PEM'] });
    forwardableFields(headers, certified, sent);
    expect(peer.goingOn(headers, certified.owned, 'a.example')).toBeNull();
    const other = partsOf(peer, { client: { ...clientOf(peer, '192.0.2.7', headers) } });
    forwardableFields(headers, other, sent);
    expect(peer.goingOn(headers, other.owned, 'a.example')).toBeNull();
    const named: HeaderList = [...headers, 'X-Correlation-Id', 'c-1', 'X-Custom', 'b'];
    const ofNamed = partsOf(peer);
    forwardableFields(named, ofNamed, factsOf(named, true));
    expect(peer.goingOn(named, ofNamed.owned, 'a.example')).toBeNull();
    const usual = partsOf(peer);
    forwardableFields(headers, usual, factsOf(headers, false));
    expect(peer.goingOn(headers, usual.owned, 'a.example')).toBeNull();
    forwardableFields(headers, usual, sent);
    expect(peer.goingOn(headers, usual.owned, 'a.example')).not.toBeNull();
  });
});

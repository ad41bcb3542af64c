import { deflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { SamlBrowser } from '../../support/agent/saml-browser.js';
import { posted, type ResponseParts, signedResponse } from '../../support/agent/saml-documents.js';
import { acsUrlAt, type BegunSignOn, beginSignOn, partsFor, samlBlockAt } from '../../support/agent/saml-exchange.js';
import type { RefusedDocument } from '../../support/agent/saml-forged-texts.js';
import { refusedDocuments } from '../../support/agent/saml-forgeries.js';
import { idpKey } from '../../support/agent/saml-keys.js';
import { wrappedAssertions, wrappedResponses } from '../../support/agent/saml-wrapping.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const sessionCookie = 'gateway_saml_session';
const minute = 60_000;
let stack: GatewayStack;
let storeFile: string;
let acs: string;
it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  storeFile = folder.file('sessions.db');
  const certificate = folder.write('idp.crt', idpKey().certificatePem);
  stack = await startStack(cleanUp, {
    transport: 'embedded',
    agentMembers: 'events "request_headers" "request_body_chunk"; timeout-ms 10000',
    blocks: 'limits { max-body-inspection-bytes 10485760; max-body-size-bytes 10485760 }',
    agentConfig: (port) => samlBlockAt(port, certificate, storeFile),
  });
  acs = acsUrlAt(stack.port);
});

const begin = async (): Promise<BegunSignOn> => {
  const begun = await beginSignOn(stack.port);
  if (begun === null) throw new Error('no sign-on begins');
  return begun;
};

/** With one more that is refused the gateway would give the sign-on up. */
const postsOfRequest = 4;

/** Why documents are refused that have more in them than was signed. */
const wrappingReasons = [
  'unexpected_root',
  'duplicate_id',
  'several_assertions',
  'misplaced_assertion',
  'no_assertion',
  'misplaced_signature',
  'several_signatures',
  'signature_reference',
  'malformed_element',
];

/** The largest are refused as forms, before they are looked at as documents; an empty one is no form. */
const expectedReason = ({ xml, reason }: RefusedDocument): string => {
  if (xml === '') return 'malformed_form';
  return posted(xml).length > 1024 * 1024 - 1024 ? 'form_too_large' : reason;
};

/** What the store holds of sessions, of assertions that were taken, and of sign-ons under way. */
const stored = (): Readonly<Record<'sessions' | 'replays' | 'requests', number>> => {
  const database = new Database(storeFile, { readonly: true });
  const count = (table: string) =>
    (database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { readonly n: number }).n;
  const counts = { sessions: count('sessions'), replays: count('replays'), requests: count('requests') };
  database.close();
  return counts;
};

/** Posts a document and expects a refusal that changes nothing; gives the reason in the log. */
const refusalOf = async ({ browser, relayState }: BegunSignOn, response: string): Promise<string> => {
  const before = stored();
  const logged = stack.gateway.output().length;
  const answer = await browser.post({ action: acs, fields: { SAMLResponse: response, RelayState: relayState } });
  expect([400, 403, 413]).toContain(answer.status);
  expect(browser.cookie(sessionCookie)).toBeUndefined();
  expect(stored()).toEqual(before);
  const refused = () => /^.*"sign-on refused".*$/m.exec(stack.gateway.output().slice(logged))?.[0];
  await untilTrue('the refusal is logged', () => refused() !== undefined);
  const reason = /"reason":"([a-z_]+)"/.exec(refused() ?? '')?.[1] ?? '';
  // Whoever is trying learns nothing by the answer.
  if (reason !== 'form_too_large') expect(answer.body).not.toContain(reason);
  return reason;
};

it('accepts a valid response that is built like the attacks', async () => {
  for (const signed of ['assertion', 'response', 'both'] as const) {
    const begun = await begin();
    const response = posted(signedResponse(partsFor(stack.port, begun.requestId), { signed }));
    const fields = { SAMLResponse: response, RelayState: begun.relayState };
    expect((await begun.browser.post({ action: acs, fields })).status).toBe(302);
    expect((await begun.browser.visit('/app')).status).toBe(200);
  }
  expect(stored()).toEqual({ sessions: 3, replays: 3, requests: 0 });
});

describe('every forged document is refused: nothing is stored, and only the log has the reason', () => {
  it.each([
    ['wrapped around the signed assertion', wrappedAssertions, 12],
    ['wrapped around the signed response', wrappedResponses, 12],
    ['forged otherwise', refusedDocuments, 80],
  ] as const)('%s', async (_, forge, atLeast) => {
    const { length } = forge();
    expect(length).toBeGreaterThanOrEqual(atLeast);
    for (let from = 0; from < length; from += postsOfRequest) {
      const begun = await begin();
      const documents = forge({ parts: partsFor(stack.port, begun.requestId) }).slice(from, from + postsOfRequest);
      for (const document of documents) {
        const reason = await refusalOf(begun, posted(document.xml));
        if (forge === refusedDocuments) expect(reason, document.name).toBe(expectedReason(document as RefusedDocument));
        else expect(wrappingReasons, `${document.name}: ${reason}`).toContain(reason);
      }
    }
  });
});

describe('a signed document of another sign-on is refused', () => {
  const day = 24 * 60 * minute;
  const now = Date.now();
  const cases: Readonly<Record<string, readonly [reason: string, parts: Partial<ResponseParts>, assertion?: object]>> =
    {
      'of another issuer': ['wrong_issuer', {}, { issuer: 'https://other.example/metadata' }],
      'in a response of another issuer': ['wrong_issuer', { issuer: 'https://other.example/metadata' }],
      'for another audience': ['wrong_audience', {}, { audience: 'https://other.example/saml/metadata' }],
      'for no audience': ['wrong_audience', {}, { audience: null }],
      'for another recipient': ['wrong_recipient', {}, { recipient: 'https://other.example/saml/acs' }],
      'for no recipient': ['wrong_recipient', {}, { recipient: null }],
      'to another destination': ['wrong_destination', { destination: 'https://other.example/saml/acs' }],
      'to another request': ['wrong_in_response_to', { inResponseTo: '_somebody-elses' }],
      'whose confirmation answers another request': ['wrong_in_response_to', {}, { inResponseTo: '_somebody-elses' }],
      expired: ['expired', {}, { notBeforeMs: now - 20 * minute, notOnOrAfterMs: now - 10 * minute }],
      'whose confirmation has expired': ['expired', {}, { confirmationNotOnOrAfterMs: now - 10 * minute }],
      'of the future': ['not_yet_valid', {}, { notBeforeMs: now + 20 * minute, notOnOrAfterMs: now + 30 * minute }],
      'issued in the future': ['issued_in_future', {}, { nowMs: now + 20 * minute }],
      'issued long ago': ['issued_too_long_ago', {}, { nowMs: now - 2 * day }],
      'without conditions': ['no_conditions', {}, { conditions: '' }],
      'without a confirmation': [
        'no_subject_confirmation',
        {},
        { subject: '<saml:Subject><saml:NameID>alice</saml:NameID></saml:Subject>' },
      ],
      'that says nothing of an authentication': ['no_authentication_statement', {}, { authnStatement: '' }],
      'whose session is over': ['session_over', {}, { sessionNotOnOrAfterMs: now - 10 * minute }],
      'that tells of a failure': ['failed_status', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }],
    };
  it.each(Object.entries(cases))('%s', async (_, [reason, parts, assertion = {}]) => {
    const begun = await begin();
    const good = partsFor(stack.port, begun.requestId);
    const validity = { notBeforeMs: now - minute, notOnOrAfterMs: now + 30 * minute };
    const all = { ...good, ...parts, assertion: { ...good.assertion, ...validity, ...assertion } };
    expect(await refusalOf(begun, posted(signedResponse(all)))).toBe(reason);
  });
});

describe('a malformed form is refused', () => {
  it.each([
    ['malformed base64', 'PHNhbWxwOlJlc3BvbnNl*', 'document_encoding'],
    ['base64 of what is no UTF-8', Buffer.from([0xff, 0xfe, 0x3c]).toString('base64'), 'document_encoding'],
    [
      'a deflated response, as for HTTP-Redirect',
      deflateRawSync('<samlp:Response/>').toString('base64'),
      'document_encoding',
    ],
    [
      'a truncated deflated response',
      deflateRawSync('<samlp:Response/>').subarray(0, 9).toString('base64'),
      'document_encoding',
    ],
    ['5 MB', Buffer.alloc(5_000_000, 0x20).toString('base64'), 'form_too_large'],
  ])('%s', async (_, response, reason) => {
    expect(await refusalOf(await begin(), response)).toBe(reason);
  });

  it('a RelayState that is a URL', async () => {
    const begun = await begin();
    const response = posted(signedResponse(partsFor(stack.port, begun.requestId)));
    for (const relayState of ['https://evil.example/', '//evil.example/', '/app', '']) {
      expect(await refusalOf({ ...begun, relayState }, response)).toMatch(/^(?:unknown_request|unsolicited)$/);
    }
  });

  it('a replayed response, from the same and from other browsers and requests', async () => {
    const begun = await begin();
    const response = posted(signedResponse(partsFor(stack.port, begun.requestId)));
    const fields = { SAMLResponse: response, RelayState: begun.relayState };
    expect((await begun.browser.post({ action: acs, fields })).status).toBe(302);
    expect(await refusalOf({ ...begun, browser: new SamlBrowser(stack.port) }, response)).toBe('other_browser');
    expect(await refusalOf({ ...begun, browser: (await begin()).browser }, response)).toBe('unknown_request');
    expect(await refusalOf(await begin(), response)).toBe('wrong_in_response_to');
  });
});

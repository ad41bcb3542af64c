import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCrossSiteRequest } from '../../../../../src/domain/agent/sign-on/cross-site-request.js';
import { AllowedOrigins } from '../../../../../src/domain/http/allowed-origins.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';

const listed = ['https://spa.example', 'https://*.apps.example', 'http://localhost:3000'];
const trusted = new AllowedOrigins(listed);

const isListed = ({ origin, protocol, hostname, port }: URL): boolean =>
  origin === 'https://spa.example' ||
  origin === 'http://localhost:3000' ||
  (protocol === 'https:' && port === '' && hostname.endsWith('.apps.example'));

const host = fc.constantFrom('app.example', 'App.Example', 'app.example:443', 'app.example:80', 'app.example:8443');
const scheme = fc.constantFrom('http', 'https');
const origin = fc.oneof(
  fc.tuple(scheme, host).map(([proto, name]) => `${proto}://${name}`),
  fc.constantFrom(...listed, 'https://a.apps.example', 'https://apps.example', 'null', ''),
  fc
    .array(
      fc.constantFrom('http://', 'https://', 'app.example', '.apps.example', ':443', ':8443', '@', '.', '/', ',', ' '),
      {
        maxLength: 6,
      },
    )
    .map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const method = fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND');

describe('a request that can change something', () => {
  it('is accepted only from its own origin or a listed one, as a URL parser reads it', () => {
    fc.assert(
      fc.property(method, scheme, host, origin, (verb, proto, name, from) => {
        const headers = ['host', 'inner:8080', 'x-forwarded-proto', proto, 'x-forwarded-host', name, 'origin', from];
        const isRefused = isCrossSiteRequest(headersEvent('c-1', { method: verb, headers }), trusted);
        // Spaces around a field value are no part of it (RFC 9110, section 5.5).
        const claimed = from.replace(/^[ \t]+|[ \t]+$/g, '');
        const isOrigin = URL.canParse(claimed) && new URL(claimed).origin === claimed;
        const own = new URL(`${proto}://${name}`).origin;
        if (!isRefused) expect(isOrigin && (claimed === own || isListed(new URL(claimed)))).toBe(true);
        // What browsers send from the own page passes.
        const sent = isCrossSiteRequest(
          headersEvent('c-2', { method: verb, headers: [...headers.slice(0, -1), own] }),
          trusted,
        );
        expect(sent).toBe(false);
      }),
      { numRuns: 10_000 },
    );
  });
});

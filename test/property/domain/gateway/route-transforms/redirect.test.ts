import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type PlaceholderValues,
  placeholderNames,
} from '../../../../../src/domain/gateway/route-transforms/placeholder-template.js';
import { parseRedirectTarget, renderedRedirect } from '../../../../../src/domain/gateway/route-transforms/redirect.js';

const piece = fc.constantFrom(
  ...['https://', 'http://', '//', '/', '?', '#', ':', '@', '.', 'a', 'www.', 'evil.example', '8443', '%2F', '\\'],
  ...placeholderNames.map((name) => `{${name}}`),
);
const to = fc
  .tuple(
    fc.constantFrom('https://{host}', 'https://fixed.example', '//fixed.example', '/', '{path}', ''),
    fc.array(piece, { maxLength: 6 }),
  )
  .map(([start, pieces]) => start + pieces.join(''));

/** Every octet, and what browsers treat as the beginning of a host. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('//', '/\\', '@evil.example', '\r\n', '\0', 'https://evil.example'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    {
      maxLength: 4,
    },
  )
  .map((pieces) => pieces.join(''));
const values = fc.record(
  Object.fromEntries(placeholderNames.map((name) => [name, hostile])) as Record<
    keyof PlaceholderValues,
    typeof hostile
  >,
);
const host = fc.constantFrom('shop.example', 'a', '[::1]', '192.0.2.1', '', 'a@evil.example', 'evil.example/');

describe('a redirect', () => {
  it('leads to the configured host or to that of the request, whatever else the request has', () => {
    let accepted = 0;
    fc.assert(
      fc.property(to, values, host, (text, given, name) => {
        const target = parseRedirectTarget(text);
        if (!target.ok) return;
        accepted += 1;
        // The server makes the path and the query, so that they have their form; their text is the client's.
        const path = `/${given.path}`;
        const query = given.query === '' ? '' : `?${given.query}`;
        const shown = { ...given, host: name, path, query, path_query: path + query, scheme: 'https' };
        const location = renderedRedirect(target.value, shown);
        if (location === null) return;
        expect(location).not.toMatch(/[\x00-\x1f\x7f]/);
        // A browser follows no invalid URL, such as that of two addresses in a row.
        if (!URL.canParse(location, 'https://origin.example/p')) return;
        const { hostname, username } = new URL(location, 'https://origin.example/p');
        const { authority } = target.value;
        const usesHost = authority?.parts.some((part) => typeof part === 'object') === true;
        if (authority === null) expect(hostname).toBe('origin.example');
        else if (usesHost) expect(hostname).toContain(new URL(`https://${name}`).hostname);
        else expect(hostname).toBe(new URL(`https://${String(authority.parts[0])}`).hostname);
        expect(username).toBe('');
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });
});

import { describe, expect, it } from 'vitest';
import { documentationPages } from '../../support/shared/documentation-examples.js';

/** What ends by itself may be run by npx. */
const endingCommand = /^(?:config|policy|hash|saml|sessions|reload)\b|^--(?:version|help|test|validate)\b/;

/** The commands of a text that start the gateway or the agent through npx. */
const daemonsByNpx = (text: string): readonly string[] =>
  [...text.matchAll(/\bnpx (?:--?\S+ )*gateway(?:-auth)?(?![\w-]) *([^`\n]*)/g)].flatMap(([command, rest = '']) =>
    endingCommand.test(rest) || rest === '' ? [] : [command],
  );

describe('a guide', () => {
  it.each(documentationPages().map(({ name, text }) => [name, text] as const))(
    '%s starts no daemon by npx',
    (_, text) => {
      expect(daemonsByNpx(text)).toEqual([]);
    },
  );
});

it.each([
  ['npx gateway --config a.kdl', 1],
  ['FOO=1 npx --yes gateway-auth --socket /a', 1],
  ['npx gateway config check a.kdl', 0],
  ['npx gateway-auth policy test a.kdl', 0],
  ['gateway --config a.kdl', 0],
])('"%s" starts %i daemons by npx', (text, count) => {
  expect(daemonsByNpx(text)).toHaveLength(count);
});

import { expect, it } from 'vitest';
import { parseAgentArguments } from '../../../../../src/adapters/inbound/agent-command-line/parse-agent-arguments.js';
import { parsePolicyArguments } from '../../../../../src/adapters/inbound/policy-command-line/parse-policy-arguments.js';
import { parseSamlArguments } from '../../../../../src/adapters/inbound/saml-command-line/metadata-command.js';
import { parseSessionsArguments } from '../../../../../src/adapters/inbound/sessions-command-line/parse-sessions-arguments.js';
import { documentationPage, fencedBlocks } from '../../../../support/shared/documentation-examples.js';

const shown = fencedBlocks(documentationPage('docs/reference/gateway-auth-cli.md')).map(({ text }) => text);

it.each([
  ['gateway-auth', ['--help']],
  ['gateway-auth hash-password', ['hash-password', '--help']],
  ['gateway-auth hash-key', ['hash-key', '--help']],
])('the reference page shows the help of %s as it is', (_, argv) => {
  const help = parseAgentArguments(argv, {}, '0.0.0');
  expect(help.kind === 'usage' && shown.includes(help.stdout)).toBe(true);
});

it.each([[[]], [['check']], [['test']], [['explain']], [['corpus']]])(
  'the reference page shows the help of gateway-auth policy %j as it is',
  (command) => {
    const help = parsePolicyArguments([...command, '--help']);
    expect(help.kind === 'usage' && shown.includes(help.stdout)).toBe(true);
  },
);

it.each([[[]], [['metadata']]])('the reference page shows the help of gateway-auth saml %j as it is', (command) => {
  const help = parseSamlArguments([...command, '--help']);
  expect(help.kind === 'usage' && shown.includes(help.stdout)).toBe(true);
});

it.each([[[]], [['list']], [['show']], [['revoke']]])(
  'the reference page shows the help of gateway-auth sessions %j as it is',
  (command) => {
    const help = parseSessionsArguments([...command, '--help']);
    expect(help.kind === 'usage' && shown.includes(help.stdout)).toBe(true);
  },
);

import { expect, it } from 'vitest';
import { parseAgentArguments } from '../../../../../src/adapters/inbound/agent-command-line/parse-agent-arguments.js';
import { parsePolicyArguments } from '../../../../../src/adapters/inbound/policy-command-line/parse-policy-arguments.js';
import { documentationPage, fencedBlocks } from '../../../../support/documentation-examples.js';

const shown = fencedBlocks(documentationPage('docs/reference/gateway-auth-cli.md')).map(({ text }) => text);

it.each([
  ['gateway-auth', ['--help']],
  ['gateway-auth hash-password', ['hash-password', '--help']],
  ['gateway-auth hash-key', ['hash-key', '--help']],
])('the reference page shows the help of %s as it is', (_, argv) => {
  const help = parseAgentArguments(argv, {}, '0.0.0');
  expect(help.kind === 'say' && shown.includes(help.text)).toBe(true);
});

it.each([[[]], [['check']], [['test']], [['explain']], [['corpus']]])(
  'the reference page shows the help of gateway-auth policy %j as it is',
  (command) => {
    const help = parsePolicyArguments([...command, '--help']);
    expect(help.kind === 'say' && shown.includes(help.text)).toBe(true);
  },
);

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseAgentArguments } from '../../../../../src/adapters/inbound/agent-command-line/parse-agent-arguments.js';

it('the reference page of gateway-auth shows the help as it is', () => {
  const page = readFileSync(new URL('../../../../../docs/reference/gateway-auth-cli.md', import.meta.url), 'utf8');
  const help = parseAgentArguments(['--help'], {}, '0.0.0');
  expect(help.kind === 'say' && page.includes(`\`\`\`\n${help.text}\`\`\`\n`)).toBe(true);
});

import { describe, expect } from 'vitest';
import { parseGatewayArguments } from '../../../src/adapters/inbound/gateway-command-line/parse-gateway-arguments.js';
import { explainConfiguration } from '../../../src/bootstrap/gateway/explain-configuration.js';
import { documentationPage, fencedBlocks, mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';

const page = 'docs/guides/config-explain.md';

/** The words of a command line, of which single quotes keep together what they enclose. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

describe('the guide to config explain', () => {
  it('shows what the command prints', async ({ folder }) => {
    const file = folder.write('gateway.kdl', mainExample(page));
    const shown = fencedBlocks(documentationPage(page)).filter(({ text }) =>
      text.startsWith('$ gateway config explain'),
    );
    expect(shown.length).toBe(3);
    for (const { text } of shown) {
      const [line = ''] = text.split('\n', 1);
      const [, , ...words] = wordsOf(line);
      const command = parseGatewayArguments(
        words.map((word) => (word === 'gateway.kdl' ? file : word)),
        {},
        '0.0.0',
      );
      if (command.kind !== 'explain') throw new Error(`${line} is no explanation`);
      expect(`${line}\n${(await explainConfiguration(command)).stdout}`).toBe(text);
    }
  });
});

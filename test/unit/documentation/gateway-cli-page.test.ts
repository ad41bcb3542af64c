import { afterEach, describe, expect, it } from 'vitest';
import { reportProblems } from '../../../src/adapters/command-line/terminal-text.js';
import { parseGatewayArguments } from '../../../src/adapters/inbound/gateway-command-line/parse-gateway-arguments.js';
import { KdlConfigurationSource } from '../../../src/adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { re2PathPatterns } from '../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { documentationPage, fencedBlocks } from '../../support/shared/documentation-examples.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const shown = fencedBlocks(documentationPage('docs/reference/gateway-cli.md')).map(({ text }) => text);

const mistaken = `listeners {
  listener "public" { adress "127.0.0.1:8080" }
}
routes {
  route "api" { matches { path-prefix "/api" }; upstream "apii" }
}
upstreams {
  upstream "api" { target "127.0.0.1:8081"; load-balancing "random" }
}
`;

let folder: TemporaryFolder | null = null;
afterEach(() => folder?.remove());

describe('the reference page of gateway', () => {
  it('shows the help as it is', () => {
    const help = parseGatewayArguments(['--help'], {}, '0.0.0');
    expect(help.kind === 'usage' && shown.includes(help.stdout)).toBe(true);
  });

  it('shows the problems of a file as they are', async () => {
    folder = temporaryFolder();
    const file = folder.write('gateway.kdl', mistaken);
    const { problems } = await new KdlConfigurationSource(file, { environment: {}, patterns: re2PathPatterns }).load();
    const report = reportProblems(problems).replaceAll(file, 'gateway.kdl');
    expect(shown).toContain(`$ gateway config check gateway.kdl\n${report}`);
  });
});
